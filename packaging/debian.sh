# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# What the scripts here share: sources and packages of Debian, of a release that this machine need not have. apt checks them by the signed
# list of the archive, and nothing is installed or changed outside of the current folder.

# ask_debian KIND SUITE WORD...: apt-get WORD..., which knows the packages (KIND is deb) or the sources (deb-src) of that release alone.
ask_debian() {
  mkdir -p lists/partial
  echo "$1 [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian $2 main" >sources.list
  shift 2
  apt-get -q -o Dir::Etc::SourceList="$PWD/sources.list" -o Dir::Etc::SourceParts=/dev/null -o Dir::State::Lists="$PWD/lists" \
    -o APT::Sandbox::User=root "$@"
}

# fetch_source PACKAGE: the name of the tarball that the first release of Debian has of it whose archive gives one.
fetch_source() {
  for suite in bookworm trixie sid; do
    if ask_debian deb-src "$suite" update >fetch.log 2>&1 &&
      ask_debian deb-src "$suite" source --download-only --tar-only "$1" >>fetch.log 2>&1; then
      find "$PWD" -maxdepth 1 -name "$1_*.orig.tar.*"
      return
    fi
  done
  cat fetch.log >&2
  echo "$0: no release of Debian gives the source of $1" >&2
  return 1
}

# enter_source PACKAGE TARBALL FOLDER: unpacks a source, of Debian unless TARBALL names it, and goes to it, below a folder that is gone when
# the script ends. $folder: FOLDER, which is made, as an absolute path.
enter_source() {
  mkdir -p "$3"
  # shellcheck disable=SC2034 # for the script
  folder=$(cd "$3" && pwd)
  source=$2
  [ -z "$source" ] || source=$(realpath "$source")
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  cd "$work" || return
  [ -n "$source" ] || source=$(fetch_source "$1")
  mkdir source
  tar -xf "$source" -C source --strip-components=1
  cd source || return
}

# configure_json_glib: in the source of json-glib, the headers that its own build makes first. $version: of it.
configure_json_glib() {
  version=$(sed -n "s/^ *version: '\([0-9.]*\)'.*/\1/p" meson.build | head -n 1)
  IFS=. read -r major minor micro <<EOF
$version
EOF
  sed "s/@JSON_MAJOR_VERSION@/$major/; s/@JSON_MINOR_VERSION@/$minor/; s/@JSON_MICRO_VERSION@/$micro/; s/@JSON_VERSION@/$version/" \
    json-glib/json-version.h.in >json-glib/json-version.h
  echo '#define GETTEXT_PACKAGE "json-glib-1.0"' >config.h
}
