#!/usr/bin/env python3
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
"""Runs the action of GitHub, the component of GitLab and the hook of pre-commit as their hosts do: the shell of each step with its variables,
on a repository with a pull request, against a host that is made up. With names, titles and files that would have something run, and with what
a pull request could put in the way. Usage: ci.py SMEMBANK WORK_FOLDER SOURCE_FOLDER PYTHON [WHEEL]"""
import hashlib
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading

import yaml

PROGRAM, WORK, SOURCE = (pathlib.Path(path).resolve() for path in sys.argv[1:4])
PYTHON = sys.argv[4]
WHEEL = pathlib.Path(sys.argv[5]).resolve() if len(sys.argv) > 5 else None
HOSTILE = "x; touch pwned; $(touch pwned) `touch pwned` ' \" \n::error ::pwned"
MARK = "<!-- smembank -->\n"
KERNEL = """__global__ void k(int *out) {
  __shared__ int tile[32][32 + PAD];
  tile[threadIdx.y][threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
"""


def check(condition, message):
    if not condition:
        sys.exit(f"FAIL: ci: {message}")


# --- hosts that are made up


class Host(http.server.BaseHTTPRequestHandler):
    """Comments of one pull request, for both interfaces, on pages of two."""

    token, refused, comments, asked = "", 0, [], []

    def log_message(self, *_):
        pass

    def answer(self, status, document):
        self.send_response(status)
        self.end_headers()
        self.wfile.write(json.dumps(document).encode())

    def handle_any(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length))["body"] if length else None
        Host.asked.append((self.command, self.path))
        token = self.headers.get("PRIVATE-TOKEN") or (self.headers.get("Authorization") or "").removeprefix("Bearer ")
        if Host.refused or token != Host.token:
            self.answer(Host.refused or 401, {"message": "no"})
            return
        path, _, query = self.path.partition("?")
        if path == "/user":
            self.answer(200, {"username": "bot"})
        elif self.command == "GET":
            check(path in ("/repos/own-er/re.po/issues/7/comments", "/projects/3/merge_requests/7/notes"), path)
            page = int(re.search(r"page=(\d+)$", query)[1])
            self.answer(200, Host.comments[2 * (page - 1) : 2 * page])
        elif self.command == "POST":
            Host.comments.append(self.made(len(Host.comments) + 100, "bot", body))
            self.answer(201, Host.comments[-1])
        else:
            check((self.command, path) in (("PATCH", f"/repos/own-er/re.po/issues/comments/{path.rsplit('/', 1)[1]}"),
                                           ("PUT", f"/projects/3/merge_requests/7/notes/{path.rsplit('/', 1)[1]}")), path)
            one = next(comment for comment in Host.comments if comment["id"] == int(path.rsplit("/", 1)[1]))
            one["body"] = body
            self.answer(200, one)

    @staticmethod
    def made(number, who, body):
        return {"id": number, "body": body, "user": {"login": "github-actions[bot]" if who == "bot" else who}, "author": {"username": who}}

    do_GET = do_POST = do_PATCH = do_PUT = handle_any


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Host)
threading.Thread(target=server.serve_forever, daemon=True).start()
ADDRESS = f"http://127.0.0.1:{server.server_address[1]}"


# --- a repository with a pull request


def git(folder, *words):
    environment = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    return subprocess.run(["git", "-c", "user.name=nobody", "-c", "user.email=nobody@example.com", *words], cwd=folder, env=environment,
                          check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def project(pad, name="tile", file="tile.cu", more=""):
    return f"[*]\nmax-ways = 1\n\n[{name}]\nfile = {file}\nblock = 32,32\ndefine = PAD={pad}\n{more}"


def repository(name, base, head):
    """Files of the base, and of the pull request beside those. Returns the folder and the commit of the base."""
    folder = WORK / name
    folder.mkdir()
    git(folder, "init", "-q", ".")
    for files in (base, head):
        for path, text in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "--allow-empty", "-m", HOSTILE)
    return folder, git(folder, "rev-parse", "HEAD~1")


# --- the steps


def install():
    """What the steps that install leave: an environment that has the package and the program."""
    folder = WORK / "environment"
    subprocess.run([PYTHON, "-m", "venv", "--without-pip", str(folder)], check=True)
    site = next(folder.glob("lib/python*/site-packages"))
    (site / "smembank").mkdir()
    for module in (SOURCE / "python/smembank").glob("*.py"):
        shutil.copyfile(module, site / "smembank" / module.name)
    (folder / "bin/smembank").symlink_to(PROGRAM)
    info = site / "smembank-0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: smembank\nVersion: 0\n")
    (info / "RECORD").write_text("../../../bin/smembank,,\n")
    return folder


ENVIRONMENT = install()
# The runs that install the wheel, where there is one: the others have that environment.
REAL = {"clean", "gitlab"} if WHEEL else set()


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def run(script, folder, environment, shell):
    done = subprocess.run(shell + [script], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
    left = [path for path in (folder / "pwned", WORK / "pwned") if path.exists()]
    check(not left, f"something of the pull request was run: {left}: {script}")
    check("secret-of-ours" not in done.stdout, f"the token is in the log: {done.stdout}")
    return done.returncode, done.stdout


def usual(temporary):
    """What a runner has in its environment, with the names that others choose."""
    (WORK / "home").mkdir(exist_ok=True)
    return {
        "PATH": f"{pathlib.Path(PYTHON).parent}:/usr/bin:/bin", "HOME": str(WORK / "home"), "LANG": "C.UTF-8", "RUNNER_TEMP": str(temporary),
        "TMPDIR": str(temporary), "GITHUB_HEAD_REF": HOSTILE, "GITHUB_BASE_REF": HOSTILE, "GITHUB_REF_NAME": HOSTILE, "GITHUB_ACTOR": HOSTILE,
        "CI_MERGE_REQUEST_TITLE": HOSTILE, "CI_MERGE_REQUEST_DESCRIPTION": HOSTILE, "CI_COMMIT_REF_NAME": HOSTILE,
        "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME": HOSTILE, "CI_COMMIT_MESSAGE": HOSTILE,
    }


ACTION = yaml.safe_load((SOURCE / "action.yml").read_text())


def expand(text, values):
    """An expression of GitHub's, of those that the action has."""
    def one(match):
        name = match[1].strip()
        check(name in values, f"action.yml: {name}: no such expression is tried")
        return values[name]
    return re.sub(r"\$\{\{(.*?)\}\}", one, text)


class Action:
    """A run of the action of GitHub."""

    def __init__(self, name, folder, base, event="pull_request", **inputs):
        self.folder, self.temporary = folder, WORK / f"{name}-temporary"
        self.temporary.mkdir()
        self.summary = self.temporary / "summary"
        self.logs, self.statuses = [], []
        inputs = {"wheel": str(WHEEL), "sha256": sha256(WHEEL) if WHEEL else "", "token": "secret-of-ours", **{k.replace("_", "-"): v for k, v in inputs.items()}}
        for key, value in ACTION["inputs"].items():
            check(value.get("required") or "default" in value or key in inputs, f"{key} has neither a default nor is required")
            inputs.setdefault(key, value.get("default"))
        values = {f"inputs.{key}": value for key, value in inputs.items()}
        values["inputs.compare == 'true' && github.event.pull_request.base.sha || ''"] = base if inputs["compare"] == "true" and event == "pull_request" else ""
        values["github.event.pull_request.number"] = "7"
        values["!cancelled() && inputs.comment == 'true' && github.event.pull_request"] = "true" if inputs["comment"] == "true" and event == "pull_request" else ""
        failed = False
        for number, step in enumerate(ACTION["runs"]["steps"]):
            check("${{" not in step["run"], f"the shell of a step sees an expression: {step['run']}")
            check(step["shell"] == "bash", "another shell")
            if "if" in step:
                if not expand(step["if"], values):
                    continue
            elif failed:
                continue
            if number == 0 and name not in REAL:
                (self.temporary / "smembank").symlink_to(ENVIRONMENT)
                continue
            environment = {**usual(self.temporary), "GITHUB_STEP_SUMMARY": str(self.summary), "GITHUB_REPOSITORY": "own-er/re.po", "GITHUB_API_URL": ADDRESS,
                           "SMEMBANK_COMMENTER": "github-actions[bot]", **{key: expand(value, values) for key, value in step.get("env", {}).items()}}
            check(("GITHUB_TOKEN" in environment) == (number == 2), "a step that counts has the token")
            script = self.temporary / f"step-{number}.sh"
            script.write_text(step["run"])
            status, log = run(str(script), folder, environment, ["bash", "--noprofile", "--norc", "-eo", "pipefail"])
            self.statuses.append(status)
            self.logs.append(log)
            failed = failed or status != 0
        self.log = "\n".join(self.logs)

    def expect(self, *statuses):
        check(tuple(self.statuses[-len(statuses):]) == statuses, f"statuses {self.statuses}, expected {statuses}: {self.log}")
        return self


COMPONENT_SPEC, COMPONENT = yaml.safe_load_all((SOURCE / "templates/smembank.yml").read_text())


class Component:
    """A run of the component of GitLab: both jobs; the second one has nothing but the files of the first."""

    def __init__(self, name, folder, base, **inputs):
        given = {"wheel": str(WHEEL), "sha256": sha256(WHEEL) if WHEEL else "", **{k.replace("_", "-"): v for k, v in inputs.items()}}
        for key, value in COMPONENT_SPEC["spec"]["inputs"].items():
            value = value or {}
            check("default" in value or key in given, f"no {key}")
            given.setdefault(key, value.get("default"))
        self.logs, self.statuses = [], []
        for job in ("smembank", "smembank-comment"):
            own = COMPONENT[job]
            check(own["extends"] == ".smembank", job)
            merged = {**COMPONENT[".smembank"], **own}
            variables = {**COMPONENT[".smembank"]["variables"], **own.get("variables", {})}
            temporary = WORK / f"{name}-{job}"
            temporary.mkdir()
            environment = {**usual(temporary), "CI_API_V4_URL": ADDRESS, "CI_PROJECT_ID": "3", "CI_MERGE_REQUEST_IID": "7",
                           "CI_MERGE_REQUEST_DIFF_BASE_SHA": base, "SMEMBANK_GITLAB_TOKEN": "secret-of-ours", "CI_JOB_TOKEN": "secret-of-ours"}
            for key, value in variables.items():
                text = re.sub(r"\$\[\[ *inputs\.([a-z0-9-]+) *\]\]", lambda match: json.dumps(given[match[1]]).strip('"'), str(value))
                check("$[[" not in text, text)
                environment[key] = text
            lines = merged["script"]
            before = COMPONENT[".smembank"]["before_script"]
            check(not any("$[[" in line for line in before + lines), "the shell sees an input")
            if name not in REAL:
                (temporary / "smembank").symlink_to(ENVIRONMENT)
                before = [f"tools={temporary}"]
            script = temporary / "script.sh"
            script.write_text("\n".join(["set -e", *before, *lines]) + "\n")
            where = folder
            if variables.get("GIT_STRATEGY") == "none":
                where = WORK / f"{name}-artifacts"
                where.mkdir()
                shutil.copytree(folder / "smembank-results", where / "smembank-results")
            status, log = run(str(script), where, environment, ["sh"])
            self.statuses.append(status)
            self.logs.append(log)
        self.log = "\n".join(self.logs)

    expect = Action.expect


def reset(*comments):
    Host.token, Host.refused, Host.comments, Host.asked = "secret-of-ours", 0, list(comments), []


# --- GitHub

good = {"tile.cu": KERNEL, "smembank.ini": project(1)}
folder, base = repository("clean", good, {"more.txt": "nothing"})
reset()
action = Action("clean", folder, base).expect(0, 0)
check("::error" not in action.log and "::warning" not in action.log, action.log)
check(len(Host.comments) == 1 and Host.comments[0]["body"].startswith(MARK + "## Bank conflicts"), Host.comments)
check("| tile | `k` | 64 | 64 | 64 | 0 | 1-way | passed |" in Host.comments[0]["body"], Host.comments)
check("- tile: same" in Host.comments[0]["body"] and "| case | change |" not in Host.comments[0]["body"], "a table without a row")

# A conflict: annotations, tables, status 1; the comment of the last run is changed, and none of others.
folder, base = repository("worse", good, {"smembank.ini": project(0)})
others = [Host.made(n, "somebody", MARK + "mine") for n in (1, 2, 3)]
reset(*others, Host.made(4, "bot", MARK + "old"), Host.made(5, "bot", "another"))
action = Action("worse", folder, base).expect(1, 0)
check(re.search(r"^::error file=tile\.cu,line=5,col=41,title=Limit exceeded::", action.log, re.MULTILINE), action.log)
check([comment["body"] for comment in Host.comments[:3]] == [MARK + "mine"] * 3 and Host.comments[4]["body"] == "another", Host.comments)
check(len(Host.comments) == 5 and ("PATCH", "/repos/own-er/re.po/issues/comments/4") in Host.asked, Host.asked)
text = Host.comments[3]["body"]
check("| tile | `k` | 64 | 1056 | 64 | 992 | 32-way | failed |" in text and "| tile | worse | tile.cu:5 |" in text, text)
check(text.removeprefix(MARK).strip() == action.summary.read_text().strip(), "the page of the run says something else")

# A project in a folder: places are those of the annotations.
folder, base = repository("below", {"sub/tile.cu": KERNEL, "sub/smembank.ini": project(1)}, {"sub/smembank.ini": project(0)})
reset()
action = Action("below", folder, base, project="sub/smembank.ini").expect(1, 0)
check("::error file=sub/tile.cu,line=5," in action.log and "| tile | worse | sub/tile.cu:5 |" in Host.comments[0]["body"], Host.comments)

# What got worse fails by itself, unless it may; without limits there is nothing else to fail.
free = {"tile.cu": KERNEL, "smembank.ini": project(1).replace("max-ways = 1\n", "")}
folder, base = repository("free", free, {"smembank.ini": project(0).replace("max-ways = 1\n", "")})
reset()
Action("free", folder, base).expect(1, 0)
Action("free-allowed", folder, base, allow_worse="true").expect(0, 0)
Action("free-alone", folder, base, compare="false").expect(0, 0)
check("worse" not in Host.comments[0]["body"], Host.comments)
reset()
Action("push", folder, base, event="push").expect(0)
Action("silent", folder, base, comment="false").expect(1)
check(not Host.asked, Host.asked)

# A token that may not write is no failure; a host that fails is one.
reset()
Host.refused = 403
check("may not write one (403)" in Action("fork", folder, base, compare="false").expect(0, 0).log, "no word of it")
Host.refused = 500
Action("broken", folder, base, compare="false").expect(0, 2)
reset()

# A token in the checkout is refused before anything is counted.
git(folder, "config", "http.https://github.com/.extraheader", "AUTHORIZATION: basic c2VjcmV0")
check("persist-credentials: false" in Action("kept", folder, base).expect(2, 0).log, "a token in .git/config")
check(not Host.asked, Host.asked)
git(folder, "config", "--unset", "http.https://github.com/.extraheader")

# --- what a pull request can bring

odd = "a';touch pwned;$(touch pwned)`touch pwned` @everyone |x.cu"
wild = {
    odd: KERNEL,
    "smembank.ini": project(0, name="@admin `touch pwned` $(touch pwned) <img src=x>", file=odd)
    + "\n[plugin]\nfile = tile.cu\nblock = 32,32\ndefine = PAD=1\nnvcc = -ccbin ./touch\n"
    + "\n[includes]\nfile = includes.cu\nblock = 32\n",
    "includes.cu": '#include "/proc/self/environ"\n__global__ void k() {}\n',
    "touch": "#!/bin/sh\ntouch pwned\n",
    # Python's and the tools' files in the folder that everything is run in.
    **{name: "import os\nos.system('touch pwned')\n" for name in ("json.py", "argparse.py", "smembank.py", "sitecustomize.py", "pip.py", "venv.py", "smembank/ci.py")},
    **{name: "#!/bin/sh\ntouch pwned\n" for name in ("smembank-check", "git", "python3", "nvcc", "bin/smembank")},
    "smembank-results/comment.md": "forged",
    "smembank-results/codequality.json": "forged",
    ".gitattributes": "* diff=evil filter=evil\n",
    "setup.py": "import os\nos.system('touch pwned')\n",
    "pip.conf": "[global]\nindex-url = http://127.0.0.1:1/\n",
}
folder, base = repository("wild", good, wild)
for name in ("git", "touch", "nvcc", "python3", "smembank-check", "bin/smembank"):
    (folder / name).chmod(0o755)
reset()
action = Action("wild", folder, base).expect(3, 0)
ours = re.compile(r"::(error|warning|notice) (file=[^:,]*,)?(line=\d+,)?(col=\d+,)?title=[A-Z][a-z ]*::")
for line in action.log.splitlines():
    check(not line.startswith("::") or ours.match(line), f"a command of others: {line}")
text = Host.comments[0]["body"]
check("forged" not in text and "secret" not in text, text)
check(not re.search(r"@\w", text) and "<img" not in text.replace("\\<img", ""), text)
check("-ccbin" in action.log, action.log)

# A project file of somebody else's choice, and a commit that is none.
check("expected the hash of a commit" in Action("option", folder, "--output=pwned").expect(2, 0).log, "a commit that is an option")
Action("nowhere", folder, base, project="$(touch pwned);no.ini").expect(3, 0)

# --- GitLab

folder, base = repository("gitlab", good, {"smembank.ini": project(0)})
reset(Host.made(1, "somebody", MARK + "mine"), Host.made(2, "bot", "another"))
component = Component("gitlab", folder, base).expect(1, 0)
check(len(Host.comments) == 3 and Host.comments[2]["body"].startswith(MARK), Host.comments)
check("| tile | worse | tile.cu:5 |" in Host.comments[2]["body"], Host.comments[2])
report = json.loads((folder / "smembank-results/codequality.json").read_text())
check([(entry["check_name"], entry["location"]["path"], entry["location"]["lines"]["begin"]) for entry in report] ==
      [("limit-exceeded", "tile.cu", 5), ("bank-conflict", "tile.cu", 5)], report)
git(folder, "commit", "-q", "--allow-empty", "-m", "again")
Component("gitlab-again", folder, base, compare=False).expect(1, 0)
check(len(Host.comments) == 3 and ("PUT", "/projects/3/merge_requests/7/notes/102") in Host.asked, Host.asked)
check("worse" not in Host.comments[2]["body"], Host.comments[2])

folder, base = repository("gitlab-wild", good, wild)
shutil.rmtree(folder / "smembank-results")
(WORK / "elsewhere").mkdir()
(folder / "smembank-results").symlink_to(WORK / "elsewhere")
reset()
Component("gitlab-wild", folder, base).expect(3, 0)
check(not list((WORK / "elsewhere").iterdir()), "results are written through a link")
check("forged" not in Host.comments[0]["body"] and "secret" not in Host.comments[0]["body"], Host.comments)

# --- comments of any length

sys.path.insert(0, str(SOURCE / "python"))
from smembank import ci  # noqa: E402

long = ci.shorten("".join(f"line {n}\n" for n in range(20000)))
check(len(long) < 60100 and re.search(r"\nline (\d+)\n\n(\d+) more lines are in the files of the job\.\n$", long), long[-200:])
last, left = (int(number) for number in re.search(r"\nline (\d+)\n\n(\d+) more", long).groups())
check(last + 1 + left == 20000, (last, left))
check(ci.shorten("short\n") == "short\n", "a short one is changed")

# --- pre-commit

hook = yaml.safe_load((SOURCE / ".pre-commit-hooks.yaml").read_text())[0]
check(hook["language"] == "system" and not hook["pass_filenames"], hook)
for name, wanted in (("src/a.cu", True), ("b.cuh", True), ("smembank.ini", True), ("x/smembank.ini", True), ("a.ptx", True), ("a.py", False), ("notsmembank.ini", False)):
    check(bool(re.search(hook["files"], name)) == wanted, name)
(WORK / "bin").mkdir()
(WORK / "bin/smembank").symlink_to(PROGRAM)
environment = {**usual(WORK), "PATH": f"{WORK}/bin:/usr/bin:/bin", "SMEMBANK_NVCC": "no"}
for name, wanted in (("clean", 0), ("worse", 1)):
    done = subprocess.run(hook["entry"].split(), cwd=WORK / name, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    check(done.returncode == wanted, f"the hook in {name}: status {done.returncode}: {done.stdout}")
if shutil.which("pre-commit", path="/usr/bin:/bin"):
    hooks = WORK / "hooks"
    hooks.mkdir()
    shutil.copy(SOURCE / ".pre-commit-hooks.yaml", hooks)
    git(hooks, "init", "-q", ".")
    git(hooks, "add", "-A")
    git(hooks, "commit", "-q", "-m", "hooks")
    for name, wanted in (("clean", 0), ("worse", 1)):
        (WORK / name / ".pre-commit-config.yaml").write_text(f"repos:\n- repo: {hooks}\n  rev: {git(hooks, 'rev-parse', 'HEAD')}\n  hooks:\n  - id: smembank\n")
        git(WORK / name, "add", "-A")
        done = subprocess.run(["pre-commit", "run", "--all-files"], cwd=WORK / name, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        check(done.returncode == wanted and "bank conflicts" in done.stdout, f"pre-commit in {name}: {done.stdout}")
print("ci: all as it should be")
