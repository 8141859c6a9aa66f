#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# The action of GitHub, the component of GitLab and the hook of pre-commit, as their hosts run them (ci.py); and that the examples of doc/ci.md give
# them what they ask for. With a wheel that is newer than the program, they install that one. Debian: python3-yaml, git; skipped without.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
for python in python3 /usr/bin/python3 none; do
  "$python" -c 'import venv, yaml' 2>/dev/null && break
done
[ "$python" != none ] || {
  echo "no python3 with yaml"
  exit 77
}
command -v git >/dev/null || {
  echo "no git"
  exit 77
}
python=$(command -v "$python")
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_PREFIX SMEMBANK_LIBRARY

"$python" - "$srcdir" <<'END'
import pathlib
import re
import sys
import yaml

source = pathlib.Path(sys.argv[1])
workflow = yaml.safe_load((source / "doc/ci/github-actions.yml").read_text())
assert workflow["name"] and True in workflow, "'on' is read as true"
assert workflow["permissions"] == {"contents": "read", "pull-requests": "write"}
steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
checkout, action = steps
assert checkout["with"] == {"fetch-depth": 0, "persist-credentials": False}, checkout
inputs = yaml.safe_load((source / "action.yml").read_text())["inputs"]
assert set(action["with"]) <= set(inputs), action
assert {name for name in inputs if inputs[name].get("required")} <= set(action["with"]), action

page = (source / "doc/ci.md").read_text()
(component,) = [block for block in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL) if "component:" in block]
given = yaml.safe_load(component)["include"][0]["inputs"]
asked, _ = yaml.safe_load_all((source / "templates/smembank.yml").read_text())
assert set(given) <= set(asked["spec"]["inputs"]), given
assert {name for name, value in asked["spec"]["inputs"].items() if "default" not in value} <= set(given), given
for name in inputs:
    assert f"`{name}`" in page, f"doc/ci.md does not say what {name} is"
hooks = {hook["id"] for hook in yaml.safe_load((source / ".pre-commit-hooks.yaml").read_text())}
configs = [yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL) if "hooks:" in block]
assert len(configs) == 2 and all({hook["id"] for hook in config["repos"][0]["hooks"]} == hooks for config in configs), configs
END

wheel=$(find . -maxdepth 1 -name 'smembank-*.whl' -newer "$SMEMBANK" | head -n 1)
# shellcheck disable=SC2086 # none, or one
timeout 300 "$python" "$srcdir/tests/cli/ci.py" "$SMEMBANK" "$work" "$srcdir" "$python" $wheel
