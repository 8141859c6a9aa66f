#!/usr/bin/env python3
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# verify-proof.py RESULT.json: counts again what the certificate of analyze --prove says, of accesses of 4 bytes by the rules of
# NVIDIA's chips: for all residues, how many words of a bank are asked for at once. Shares nothing with the program. Prints how many requests
# it has counted; wider and narrower ones are left out.
import ast
import itertools
import json
import sys

OPERATORS = {ast.Add: lambda a, b: a + b, ast.Mult: lambda a, b: a * b, ast.BitAnd: lambda a, b: a & b,
             ast.BitOr: lambda a, b: a | b, ast.BitXor: lambda a, b: a ^ b, ast.RShift: lambda a, b: (a & 0xFFFFFFFF) >> b}


def value(node, names):
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return names[node.id]
    if isinstance(node, ast.UnaryOp):
        return -value(node.operand, names)
    return OPERATORS[type(node.op)](value(node.left, names), value(node.right, names))


# The constant of a sum, and its text without it: lanes with the same text differ by constants.
def split(node, text):
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        node = node.left
    constant = value(node, {})
    return constant, text[1:-1][len(str(constant)):]


def degree(lanes, names):
    banks = {}
    for tree, (constant, rest) in lanes:
        low = value(tree, names) - constant
        address = low % 128 + constant
        banks.setdefault(address // 4 % 32, set()).add((rest, address // 4))
    return max(len(words) for words in banks.values())


def verify(request):
    lanes = []
    for text in request["lanes"]:
        tree = ast.parse(text, mode="eval").body
        lanes.append((tree, split(tree, text)))
    worst = bad = 0
    names = [one["name"] for one in request["residues"]]
    for residues in itertools.product(*(range(one["modulus"]) for one in request["residues"])):
        known = dict(zip(names, residues))
        if any(value(tree, known) % 4 for tree, _ in lanes):
            continue  # is not aligned: no launch
        ways = degree(lanes, known)
        worst = max(worst, ways)
        bad += ways > 1
    return worst == request["max_degree"] and bad == request["residues_with_conflicts"]


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        proof = json.load(file)["proof"]
    requests = [one for one in proof["certificate"] if one["width"] == 4]
    wrong = [one for one in requests if not verify(one)]
    for one in wrong:
        print(f"line {one['line']}: {one['lanes'][0]}: differs")
    print(f"{len(requests) - len(wrong)} of {len(requests)} requests agree")
    return 1 if wrong else 0


sys.exit(main())
