#!/usr/bin/env python3
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
"""formats.py FORMAT FILE: reads a result as those it is for do, checks it, and prints what it says, a finding a line:
RULE LEVEL FILE LINE COLUMN MESSAGE, or of Markdown the cells of its tables."""
import json
import os
import re
import subprocess
import sys
import urllib.parse
from html.parser import HTMLParser

SCHEMAS = os.path.join(os.environ["srcdir"], "tests", "schema")


def check_schema(document, path):
    import jsonschema

    with open(path, encoding="utf-8") as schema:
        schema = json.load(schema)
    checker = jsonschema.validators.validator_for(schema)
    checker.check_schema(schema)
    checker(schema, format_checker=jsonschema.FormatChecker()).validate(document)


def unique(values, what):
    values = list(values)
    assert len(values) == len(set(values)), f"{what} are not unique: {values}"


def read_sarif(text):
    document = json.loads(text)
    check_schema(document, os.path.join(SCHEMAS, "sarif.json"))
    if os.environ.get("SARIF_SCHEMA"):
        check_schema(document, os.environ["SARIF_SCHEMA"])
    (run,) = document["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    unique(rules, "rules")
    unique((r["partialFingerprints"]["smembank/v1"] for r in run["results"]), "fingerprints")
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"], result
        place = result["locations"][0]["physicalLocation"]
        region = place.get("region", {})
        uri = urllib.parse.unquote(place["artifactLocation"]["uri"])
        assert uri.startswith("file:///") != ("uriBaseId" in place["artifactLocation"]), uri
        yield (result["ruleId"], result["level"], uri, region.get("startLine", 0), region.get("startColumn", 0),
               result["message"]["text"])


def read_gitlab(text):
    document = json.loads(text)
    check_schema(document, os.path.join(SCHEMAS, "gitlab.json"))
    unique((finding["fingerprint"] for finding in document), "fingerprints")
    for finding in document:
        place = finding["location"]
        yield finding["check_name"], finding["severity"], place["path"], place["lines"]["begin"], 0, finding["description"]


def unescape(text):
    """What GitHub's runner makes of it (actions/runner, ActionCommand.cs)."""
    for escape, plain in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(escape, plain)
    return text


def read_github(text):
    for line in text.splitlines():
        match = re.fullmatch(r"::(error|warning|notice) ([^:]*)::(.*)", line)
        assert match, line
        assert not re.search(r"%(?!0D|0A|3A|2C|25)", line), line
        properties = dict(part.split("=", 1) for part in match[2].split(","))
        assert set(properties) <= {"file", "line", "col", "title"}, properties
        yield (unescape(properties["title"]), match[1], unescape(properties["file"]), properties.get("line", 0),
               properties.get("col", 0), unescape(match[3]))


class Cells(HTMLParser):
    """The cells of the tables of a page, a row a list."""

    def __init__(self):
        super().__init__()
        self.rows, self.inside = [], False

    def handle_starttag(self, tag, attrs):
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
            self.inside = True

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.inside = False

    def handle_data(self, data):
        if self.inside:
            self.rows[-1][-1] += data


def read_markdown(text):
    page = subprocess.run(["cmark-gfm", "-e", "table"], input=text, stdout=subprocess.PIPE, check=True, text=True).stdout
    cells = Cells()
    cells.feed(page)
    for row in cells.rows:
        assert len(row) == len(cells.rows[0]), row
        yield tuple(row)


def main():
    name, path = sys.argv[1:]
    with open(path, encoding="utf-8", newline="") as file:
        text = file.read()
    for finding in globals()[f"read_{name}"](text):
        print(*finding, sep="\t" if name == "markdown" else " ")


main()
