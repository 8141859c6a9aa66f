# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# docker build -t smembank . && docker run --rm -v "$PWD:/work" smembank analyze kernel.cu --block 32,32
FROM debian:bookworm-slim AS build
COPY . /src/smembank
WORKDIR /src/smembank
RUN apt-get update \
 && apt-get install -y --no-install-recommends build-essential devscripts equivs \
 && DEB_BUILD_PROFILES=nocheck mk-build-deps -i -r -t 'apt-get -y --no-install-recommends' debian/control
RUN DEB_BUILD_PROFILES=nocheck DEB_BUILD_OPTIONS=nocheck dpkg-buildpackage -us -uc -b
RUN mkdir /packages \
 && cp /src/smembank_*.deb /src/libsmembank0_*.deb /src/python3-smembank_*.deb /packages

FROM debian:bookworm-slim
COPY --from=build /packages /packages
RUN apt-get update \
 && apt-get install -y --no-install-recommends /packages/*.deb \
 && rm -rf /packages /var/lib/apt/lists/*
WORKDIR /work
ENTRYPOINT ["smembank"]
