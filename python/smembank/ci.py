# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
"""Checks a pull request in a CI: python -I -m smembank.ci check, then comment, which action.yml and templates/smembank.yml call.

check counts the cases of the project in this folder and leaves OUT/check.json, OUT/comment.md and OUT/codequality.json. It writes annotations
of lines for GitHub, and its exit status is that of smembank check. It runs nothing of the pull request, and needs no secret: what the kernels
of a stranger include is shown in error messages, so that a job that counts them is to have none.

comment posts OUT/comment.md, or changes the comment that it posted before. It alone gets a token, and reads nothing else.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from typing import Any, Dict, Iterator, Optional, Sequence

from ._library import SmembankError
from ._program import find_program

# What begins a comment of ours. It is not shown.
MARK = "<!-- smembank -->\n"
# GitHub takes 65536 characters.
MAX_COMMENT = 60000
SECONDS = 60

OK, FAILED, WRONG_USAGE, BAD_INPUT = 0, 1, 2, 3


class Refused(SmembankError):
    """What CI is asked for cannot be done safely, or not at all."""


# --- counting


def environment(nvcc: bool, cache: str) -> Dict[str, str]:
    """For smembank: without what else this job has, which may be secret."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "SMEMBANK_NVCC") if name in os.environ}
    kept["XDG_CACHE_HOME"] = cache
    if not nvcc:
        kept["SMEMBANK_NVCC"] = "no"
    # A container's user need not own the checkout.
    kept.update(GIT_CONFIG_COUNT="1", GIT_CONFIG_KEY_0="safe.directory", GIT_CONFIG_VALUE_0="*")
    return kept


def refuse_credentials() -> None:
    """A file of the pull request could include .git/config."""
    try:
        config = pathlib.Path(".git/config").read_text(errors="replace")
    except OSError:
        return
    if re.search(r"extraheader|git-credentials|://[^/\s@]+:[^/\s@]+@", config, re.IGNORECASE):
        raise Refused(
            "the checkout has a token in .git/config, which a file of the pull request could include and so publish: give "
            "actions/checkout 'persist-credentials: false'"
        )


class Counter:
    def __init__(self, nvcc: bool, trust: bool, project: Optional[str], cache: str) -> None:
        self.program = find_program()
        self.environment = environment(nvcc, cache)
        if not trust:
            self.environment["SMEMBANK_RUN"] = "no"
        self.words = [*(["--trust"] if trust else []), *([f"--project={project}"] if project else [])]

    def run(self, *words: str, show: bool = False) -> "subprocess.CompletedProcess[bytes]":
        """show: its messages go to the log; they begin no line that a host would take for a command."""
        return subprocess.run(
            [self.program, *words],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=None if show else subprocess.DEVNULL,
        )

    def check(self, result: pathlib.Path) -> int:
        done = self.run("check", *self.words, "--shard=1/1", "--format=json", f"--output={result}", show=True)
        return done.returncode

    def render(self, result: pathlib.Path, form: str) -> str:
        return self.run("merge", f"--format={form}", str(result)).stdout.decode("utf-8", "replace")

    def compare(self, base: str) -> "subprocess.CompletedProcess[bytes]":
        return self.run("compare", *self.words, f"--git={base}", "--format=markdown", show=True)


def make_folder(path: str) -> pathlib.Path:
    """An empty folder, whatever the pull request has brought in its place: files that would be taken for results, a link to elsewhere."""
    out = pathlib.Path(path)
    if out.is_symlink() or out.is_file():
        out.unlink()
    elif out.exists():
        shutil.rmtree(out)
    out.mkdir()
    return out


def check(options: argparse.Namespace) -> int:
    out = make_folder(options.out)
    if options.base and not re.fullmatch(r"[0-9a-f]{40}|[0-9a-f]{64}", options.base):
        raise Refused("--base: expected the hash of a commit")
    if options.host == "github":
        refuse_credentials()
    with tempfile.TemporaryDirectory() as cache:
        counter = Counter(options.nvcc, options.trust, options.project, cache)
        result = out / "check.json"
        status = counter.check(result)
        if not result.exists():
            return status or BAD_INPUT
        parts = ["## Bank conflicts\n", counter.render(result, "markdown")]
        (out / "codequality.json").write_text(counter.render(result, "gitlab"), encoding="utf-8")
        if options.host == "github":
            sys.stdout.write(counter.render(result, "github"))
            sys.stdout.flush()
        if options.base:
            compared = counter.compare(options.base)
            if compared.returncode in (OK, FAILED):
                parts += ["### Compared with the branch that it is for\n", compared.stdout.decode("utf-8", "replace")]
                status = status or (0 if options.allow_worse else compared.returncode)
            else:
                parts.append("It was not compared with the branch that it is for: the log of the job says why.\n")
                status = status or compared.returncode
    text = harmless("\n".join(parts))
    (out / "comment.md").write_text(text, encoding="utf-8")
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if options.host == "github" and summary:
        with open(summary, "a", encoding="utf-8") as file:
            file.write(text)
    return status


def harmless(markdown: str) -> str:
    """Names of others call nobody: a space of no width parts what would be a mention. Whatever else is Markdown, smembank has escaped."""
    return markdown.replace("@", "@\u200b")


def shorten(markdown: str) -> str:
    """Whole lines, as many as a comment takes."""
    if len(markdown) <= MAX_COMMENT:
        return markdown
    shown = markdown[: markdown.rindex("\n", 0, MAX_COMMENT) + 1]
    return f"{shown}\n{markdown.count(chr(10)) - shown.count(chr(10))} more lines are in the files of the job.\n"


# --- commenting


class Host:
    """The part of a host's interface that comments need."""

    # Where a comment names its author.
    author_keys = ("user", "login")

    def __init__(self, address: str, headers: Dict[str, str], comments: str, author: str) -> None:
        if not address.startswith(("https://", "http://127.0.0.1:")):
            raise Refused("expected an interface over https")
        self.address, self.headers, self.comments, self.author = address.rstrip("/"), headers, comments, author

    def ask(self, method: str, path: str, body: Optional[str] = None) -> Any:
        request = urllib.request.Request(
            self.address + path,
            method=method,
            data=None if body is None else json.dumps({"body": body}).encode(),
            headers={"Content-Type": "application/json", "User-Agent": "smembank", **self.headers},
        )
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:
            return json.load(answer)

    def each_comment(self) -> Iterator[Dict[str, Any]]:
        page = 1
        while found := self.ask("GET", f"{self.comments}?per_page=100&page={page}"):
            yield from found
            page += 1

    def is_ours(self, comment: Dict[str, Any]) -> bool:
        who, name = self.author_keys
        return str(comment["body"]).startswith(MARK) and comment[who] is not None and comment[who][name] == self.author

    def change(self, comment: Dict[str, Any], body: str) -> None:
        raise NotImplementedError

    def post(self, body: str) -> None:
        for comment in self.each_comment():
            if self.is_ours(comment):
                self.change(comment, body)
                return
        self.ask("POST", self.comments, body)


class GitHub(Host):
    def __init__(self, setting: Dict[str, str]) -> None:
        self.repository = expect(setting, "GITHUB_REPOSITORY", r"[\w.-]+/[\w.-]+")
        number = expect(setting, "SMEMBANK_PULL_REQUEST", r"\d+")
        headers = {"Authorization": f"Bearer {setting['GITHUB_TOKEN']}", "Accept": "application/vnd.github+json"}
        author = setting.get("SMEMBANK_COMMENTER") or "github-actions[bot]"
        super().__init__(
            setting.get("GITHUB_API_URL", "https://api.github.com"), headers, f"/repos/{self.repository}/issues/{number}/comments", author
        )

    def change(self, comment: Dict[str, Any], body: str) -> None:
        self.ask("PATCH", f"/repos/{self.repository}/issues/comments/{int(comment['id'])}", body)


class GitLab(Host):
    author_keys = ("author", "username")

    def __init__(self, setting: Dict[str, str]) -> None:
        project = expect(setting, "CI_PROJECT_ID", r"\d+")
        number = expect(setting, "CI_MERGE_REQUEST_IID", r"\d+")
        super().__init__(
            expect(setting, "CI_API_V4_URL", r"https?://\S+"),
            {"PRIVATE-TOKEN": setting["SMEMBANK_GITLAB_TOKEN"]},
            f"/projects/{project}/merge_requests/{number}/notes",
            "",
        )
        self.author = str(self.ask("GET", "/user")["username"])

    def change(self, comment: Dict[str, Any], body: str) -> None:
        self.ask("PUT", f"{self.comments}/{int(comment['id'])}", body)


def expect(setting: Dict[str, str], name: str, form: str) -> str:
    value = setting.get(name, "")
    if not re.fullmatch(form, value):
        raise Refused(f"{name}: {value!r} is not what a host gives")
    return value


def comment(options: argparse.Namespace) -> int:
    path = pathlib.Path(options.out) / "comment.md"
    if not path.exists():
        print("smembank: nothing was counted, so there is nothing to comment")
        return OK
    token = "GITHUB_TOKEN" if options.host == "github" else "SMEMBANK_GITLAB_TOKEN"
    setting = dict(os.environ)
    if not setting.get(token):
        print(f"smembank: no comment without {token}; the table is with the job")
        return OK
    try:
        host: Host = GitHub(setting) if options.host == "github" else GitLab(setting)
        host.post(MARK + shorten(path.read_text(encoding="utf-8")))
    except urllib.error.HTTPError as error:
        # The token of a job for a pull request from a fork may only read.
        if error.code not in (401, 403, 404):
            raise Refused(f"the comment was not posted: {error}") from error
        print(f"smembank: no comment, since the token of this job may not write one ({error.code}); the table is with the job")
    except (urllib.error.URLError, TimeoutError, json.JSONDecodeError) as error:
        raise Refused(f"the comment was not posted: {error}") from error
    return OK


# --- the command line


def main(words: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="smembank.ci", description="Checks a pull request in a CI.")
    parser.add_argument("action", choices=["check", "comment"])
    parser.add_argument("--host", choices=["github", "gitlab"], required=True)
    parser.add_argument("--out", required=True, help="the folder of the results")
    parser.add_argument("--project", help="the project file (default: smembank.ini in this folder)")
    parser.add_argument("--base", help="the commit to compare with")
    parser.add_argument("--allow-worse", action="store_true", help="what got worse is told, and no failure")
    parser.add_argument("--nvcc", action="store_true", help="let an nvcc of this machine compile what the project names")
    parser.add_argument("--trust", action="store_true", help="let the project file give nvcc any option, and programs of it run")
    options = parser.parse_args(words)
    try:
        return check(options) if options.action == "check" else comment(options)
    except SmembankError as error:
        print(f"smembank: {error}", file=sys.stderr)
        return WRONG_USAGE


if __name__ == "__main__":
    sys.exit(main())
