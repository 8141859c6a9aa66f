#!/usr/bin/env python3
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
"""Speaks the Language Server Protocol with 'smembank lsp', as editors do: a session from initialize to exit, edits of all kinds,
hover, hints, code actions that are applied, cancellation, and what is no protocol at all. Usage: lsp.py SMEMBANK WORK_FOLDER"""
import json
import os
import pathlib
import random
import subprocess
import sys

PROGRAM, WORK = sys.argv[1:3]
LAUNCH = "// smembank: --block 32,32 --grid 4,4 --arg n=128\n"
KERNEL = """__global__ void transpose(float *out, const float *in, int n) {
  __shared__ float tile[32][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  int u = blockIdx.y * 32 + threadIdx.x, v = blockIdx.x * 32 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  out[v * n + u] = tile[threadIdx.x][threadIdx.y];
}
"""
CONFLICT = "tile[threadIdx.x][threadIdx.y]"
WHOLE = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}


def fail(message):
    sys.exit(f"FAIL: lsp: {message}")


def check(condition, message):
    if not condition:
        fail(message)


class Server:
    def __init__(self, *options, begins=True, **environment):
        self.process = subprocess.Popen([PROGRAM, "lsp", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env={**os.environ, **environment})
        self.n, self.notes = 0, []
        if begins:
            self.capabilities = self.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})["result"]
            self.tell("initialized", {})

    def write(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, **message):
        body = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False).encode()
        self.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def receive(self):
        length = None
        while True:
            line = self.process.stdout.readline()
            if not line.endswith(b"\r\n"):
                fail(f"no header: {line!r} {self.process.stderr.read()}")
            if line == b"\r\n":
                break
            if line.startswith(b"Content-Length: "):
                length = int(line.split(b": ")[1])
        return json.loads(self.process.stdout.read(length))

    def tell(self, method, params):
        self.send(method=method, params=params)

    def begin(self, method, params):
        self.n += 1
        self.send(id=self.n, method=method, params=params)
        return self.n

    def answer(self, number):
        while True:
            message = self.receive()
            if "method" in message:
                self.notes.append(message)
                continue
            check(message["id"] == number and ("result" in message) != ("error" in message), f"answer: {message}")
            return message

    def ask(self, method, params):
        return self.answer(self.begin(method, params))

    def diagnostics(self, uri, version=None):
        """The next ones of a text; of a version, if one is named."""
        while True:
            message = self.notes.pop(0) if self.notes else self.receive()
            check(message.get("method") == "textDocument/publishDiagnostics", f"expected diagnostics: {message}")
            params = message["params"]
            if params["uri"] == uri and (version is None or params.get("version") == version):
                return params["diagnostics"]

    def open(self, uri, text, version=1):
        self.tell("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "cuda-cpp", "version": version, "text": text}})

    def end(self):
        check(self.ask("shutdown", None)["result"] is None, "shutdown")
        check(self.ask("textDocument/hover", {})["error"]["code"] == -32600, "a request after shutdown")
        self.tell("exit", None)
        check(self.process.wait(60) == 0, "exit status after shutdown and exit")
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.stderr.close()


def uri_of(name):
    return pathlib.Path(WORK, name).as_uri()


def save(name, text):
    with open(os.path.join(WORK, name), "w", newline="") as file:
        file.write(text)
    return uri_of(name)


def units(text):
    """Length in UTF-16 units, as the protocol counts."""
    return len(text.encode("utf-16-le")) // 2


def cut(text, span):
    """What a range covers."""
    return text[offset(text, span["start"]):offset(text, span["end"])]


def offset(text, position):
    lines = text.split("\n")
    at = sum(len(line) + 1 for line in lines[:position["line"]])
    left = position["character"]
    for character in lines[position["line"]] if position["line"] < len(lines) else "":
        left -= units(character)
        if left < 0:
            break
        at += 1
    return at


def edit(text, edits):
    for one in sorted(edits, key=lambda one: (one["range"]["start"]["line"], one["range"]["start"]["character"]), reverse=True):
        text = text[:offset(text, one["range"]["start"])] + one["newText"] + text[offset(text, one["range"]["end"]):]
    return text


def position(text, part):
    before = text[:text.index(part)].split("\n")
    return {"line": len(before) - 1, "character": units(before[-1])}


def conflicts(diagnostics):
    return [one for one in diagnostics if one["code"] == "bank-conflict"]


def test_session():
    server = Server("--stdio")
    capabilities = server.capabilities["capabilities"]
    check(capabilities["positionEncoding"] == "utf-16" and capabilities["textDocumentSync"]["change"] == 2, f"{capabilities}")
    text = LAUNCH + KERNEL
    uri = save("session.cu", text)
    document = {"textDocument": {"uri": uri}}
    server.open(uri, text)
    found = server.diagnostics(uri, 1)
    check(len(conflicts(found)) == 1, f"diagnostics: {found}")
    one = conflicts(found)[0]
    check(cut(text, one["range"]) == CONFLICT and one["severity"] == 2 and one["source"] == "smembank", f"diagnostic: {one}")
    check("15872 of them in excess (up to 32-way)" in one["message"], f"diagnostic: {one}")
    # What explain says of the access, wherever in it; nothing elsewhere.
    at = position(text, CONFLICT)
    for shift in 0, 7:
        value = server.ask("textDocument/hover", {**document, "position": {**at, "character": at["character"] + shift}})["result"]
        said = value["contents"]["value"]
        check("512 requests, 16384 wavefronts, ideal 512" in said and "Lanes 0-31 conflict in bank 0" in said, f"hover: {said}")
        check("the offset grows by 128 bytes" in said and "With a padding of 1" in said, f"hover: {said}")
    check(server.ask("textDocument/hover", {**document, "position": {"line": 0, "character": 3}})["result"] is None, "hover of nothing")
    check(server.ask("textDocument/hover", {**document, "position": {"line": 10**12, "character": 10**12}})["result"] is None, "hover far away")
    # Hints: at the end of each line with an access.
    hints = server.ask("textDocument/inlayHint", {**document, "range": WHOLE})["result"]
    lines = text.split("\n")
    check([(lines[hint["position"]["line"]].strip()[:8], hint["label"]) for hint in hints] ==
          [("tile[thr", "512 wavefronts, ideal 512"), ("out[v * ", "16384 wavefronts, ideal 512")], f"hints: {hints}")
    check(all(hint["position"]["character"] == units(lines[hint["position"]["line"]]) for hint in hints), f"hints: {hints}")
    part = {"start": {"line": 0, "character": 0}, "end": {"line": 6, "character": 0}}
    check(len(server.ask("textDocument/inlayHint", {**document, "range": part})["result"]) == 1, "hints of a part")
    # Each action is an edit that removes the conflict.
    actions = server.ask("textDocument/codeAction", {**document, "range": one["range"], "context": {"diagnostics": [one]}})["result"]
    check({"tile: pad 1 (16896 -> 1024 wavefronts)", "tile: Swizzle<5,0,5> (16896 -> 1024 wavefronts)"} ==
          {action["title"] for action in actions}, f"actions: {actions}")
    for only, n in ((["source.organizeImports"], 0), (["quickfix"], 2)):
        some = server.ask("textDocument/codeAction", {**document, "range": one["range"], "context": {"diagnostics": [], "only": only}})["result"]
        check(len(some) == n, f"actions of {only}: {some}")
    for version, action in enumerate(actions, 2):
        changed = edit(text, action["edit"]["changes"][uri])
        check(changed != text and changed.count("\n") == text.count("\n"), f"{action}: {changed}")
        server.tell("textDocument/didChange", {"textDocument": {"uri": uri, "version": version}, "contentChanges": [{"text": changed}]})
        check(conflicts(server.diagnostics(uri, version)) == [], f"{action['title']} leaves a conflict")
    check(server.ask("textDocument/codeAction", {**document, "range": WHOLE, "context": {"diagnostics": []}})["result"] == [],
          "an action where nothing conflicts")
    server.tell("textDocument/didClose", document)
    check(server.diagnostics(uri) == [], "diagnostics of a text that is closed")
    check(server.ask("textDocument/hover", {**document, "position": at})["result"] is None, "hover of a text that is closed")
    server.end()


def test_edits():
    """The server's text is the editor's after any edits: its diagnostics name the same words."""
    rounds = random.Random(7)
    text = LAUNCH + "// 🂡 ä 中\n" + KERNEL.replace("\n", " // é𝄞\n")
    uri = uri_of("edits.cu")  # no such file
    server = Server()
    server.open(uri, text)
    check(len(conflicts(server.diagnostics(uri, 1))) == 1, "diagnostics of a text without a file")
    pieces = ["// 𝄞\n", "/* ä🂡 */", "\n", " ", "/* 中 */ "]
    for version in range(2, 30):
        changes = []
        for _ in range(rounds.randrange(1, 4)):
            # Whole tokens: between lines, or in front of a statement; a comment is added or taken away again.
            lines = text.split("\n")
            line = rounds.randrange(1, len(lines) - 1)
            start = end = {"line": line, "character": 0}
            new = rounds.choice(pieces)
            if new == "/* ä🂡 */" and lines[line].startswith(new):
                end, new = {"line": line, "character": units(new)}, ""
            changes.append({"range": {"start": start, "end": end}, "text": new})
            text = text[:offset(text, start)] + new + text[offset(text, end):]
        server.tell("textDocument/didChange", {"textDocument": {"uri": uri, "version": version}, "contentChanges": changes})
    found = conflicts(server.diagnostics(uri, 29))
    check(len(found) == 1 and cut(text, found[0]["range"]) == CONFLICT, f"after edits: {found}\n{text}")
    # CRLF; a position past the end of a line is its end.
    text = text.replace("\n", "\r\n")
    server.tell("textDocument/didChange", {"textDocument": {"uri": uri, "version": 30}, "contentChanges": [{"text": text}]})
    found = conflicts(server.diagnostics(uri, 30))
    check(len(found) == 1 and cut(text, found[0]["range"]) == CONFLICT, f"with CRLF: {found}")
    far = {"line": 0, "character": 10**6}
    server.tell("textDocument/didChange", {"textDocument": {"uri": uri, "version": 31},
                                           "contentChanges": [{"range": {"start": far, "end": far}, "text": " --max-ways 1 --prove"}]})
    found = server.diagnostics(uri, 31)
    check(any(one["code"] == "limit-exceeded" and one["severity"] == 1 for one in found), f"a limit in the line: {found}")
    # What analyze alone is asked is not asked of explain and advise.
    place = {"textDocument": {"uri": uri}, "position": position(text, CONFLICT)}
    check("512 requests" in (server.ask("textDocument/hover", place)["result"] or {}).get("contents", {}).get("value", ""), "hover with a limit")
    place["range"] = conflicts(found)[0]["range"]
    actions = server.ask("textDocument/codeAction", {**place, "context": {"diagnostics": []}})["result"]
    check(actions, "actions with a limit")
    for action in actions:  # the ends of lines stay as they are
        changed = edit(text, action["edit"]["changes"][uri])
        check(changed != text and changed.count("\r\n") == changed.count("\r") == changed.count("\n"), f"an action with CRLF: {changed!r}")
    # An edit that makes no sense: the text is forgotten, and the server goes on.
    server.tell("textDocument/didChange", {"textDocument": {"uri": uri, "version": 32},
                                           "contentChanges": [{"range": {"start": {"line": -1, "character": 0}, "end": far}, "text": ""}]})
    check(server.diagnostics(uri) == [], "an edit that makes no sense")
    server.end()


def test_launches():
    server = Server("--text")
    # No launch: one note. With a launch, errors at their places.
    uri = save("none.cu", KERNEL)
    server.open(uri, KERNEL)
    found = server.diagnostics(uri)
    check(len(found) == 1 and found[0]["severity"] == 3 and "'n'" in found[0]["message"] and
          "// smembank: --block" in found[0]["message"] and cut(KERNEL, found[0]["range"]) == KERNEL.split("\n", 1)[0], f"no launch: {found}")
    # Neither of which has a kernel to be launched.
    for name, text in ("helpers.cu", "#pragma once\n__device__ int f(int x) { return x + 1; }\n"), ("noise.cu", "a\x01b"):
        server.open(uri_of(name), text)
        check(server.diagnostics(uri_of(name)) == [], f"{name}: a note without a kernel")
    wrong = LAUNCH + KERNEL.replace("in[y", "lost[y")
    uri = save("wrong.cu", wrong)
    server.open(uri, wrong)
    found = server.diagnostics(uri)
    check(found and found[0]["severity"] == 1 and cut(wrong, found[0]["range"]).startswith("lost[y") and
          found[0]["message"] == "'lost' is not declared", f"an error: {found}")
    # So has a launch line that cannot be read, saved or not.
    line = "// smembank: --block 32,32 --output X --arg n=128\n"
    for name, text in ("line.cu", "\n" + line + KERNEL), ("line.ptx", line + ".version 7.8\n"):
        for is_saved in False, True:
            uri = save(name, text) if is_saved else uri_of(name)
            server.open(uri, text)
            found = server.diagnostics(uri)
            check([(one["severity"], one["message"], cut(text, one["range"]) + "\n") for one in found] ==
                  [(1, "unknown option --output", line)], f"{name}: a launch line with a mistake: {found}")
    # A project file names the text, saved or not; a header in the text's folder is found from a text in memory.
    save("tile.h", "#define N 32\n")
    text = '#include "tile.h"\n' + KERNEL.replace("[32][32]", "[N][N]")
    uri = save("case.cu", text)
    save("smembank.ini", "[turn]\nfile=case.cu\nblock=32,32\ngrid=4,4\narg=n=128\n")
    server.open(uri, text)
    check(len(conflicts(server.diagnostics(uri, 1))) == 1, "a case of the project")
    changed = text.replace("[N][N]", "[N][N + 1]")
    server.tell("textDocument/didChange", {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": changed}]})
    check(server.diagnostics(uri, 2) == [], "a case of the project, edited")
    os.remove(os.path.join(WORK, "smembank.ini"))
    server.tell("workspace/didChangeWatchedFiles", {"changes": []})
    found = server.diagnostics(uri, 2)
    check([one["severity"] for one in found] == [3], f"without the project file: {found}")
    # Two kernels, a line each; the same finding of two launches is said once.
    two = ("// smembank: [a] --entry one --block 32\n// smembank: [b] --entry one --block 64\n// smembank: --entry other --block 32\n"
           "__global__ void one(int *p) { __shared__ int s[256]; s[threadIdx.x * 2] = 1; }\n"
           "__global__ void other(int *p) { __shared__ int s[1024]; s[threadIdx.x * 32] = 1; }\n")
    for name, is_saved in ("two.cu", True), ("copy.cu", False):
        uri = save(name, two) if is_saved else uri_of(name)
        server.open(uri, two)
        messages = sorted(one["message"] for one in conflicts(server.diagnostics(uri)))
        check(len(messages) == 3 and "32-way" in messages[2] + messages[1] + messages[0], f"{name}: {messages}")
        # Hints of both kernels; of a line that two launches execute, those of the first.
        hints = server.ask("textDocument/inlayHint", {"textDocument": {"uri": uri}, "range": WHOLE})["result"]
        check([(hint["position"]["line"], hint["label"]) for hint in hints] ==
              [(3, "2 wavefronts, ideal 1"), (4, "32 wavefronts, ideal 1")], f"{name}: {hints}")
    # The words of the vendor, everywhere.
    uri = uri_of("amd.hip")
    server.open(uri, LAUNCH + KERNEL)
    found = conflicts(server.diagnostics(uri))
    place = {"textDocument": {"uri": uri}, "range": found[0]["range"], "position": found[0]["range"]["start"]}
    said = [found[0]["message"], server.ask("textDocument/hover", place)["result"]["contents"]["value"],
            *(hint["label"] for hint in server.ask("textDocument/inlayHint", {**place, "range": WHOLE})["result"]),
            *(action["title"] for action in server.ask("textDocument/codeAction", {**place, "context": {"diagnostics": []}})["result"])]
    check(len(said) > 4 and all("cycles" in one and "wavefront" not in one for one in said), f"words of AMD: {said}")
    # No more than 16 launches of a text are examined, the first ones.
    many = "".join(f"// smembank: [c{i}] --block {32 * i}\n" for i in range(1, 41)) + (
        "__global__ void k(int *p) { __shared__ int s[4096]; s[threadIdx.x * 2] = 1; }\n")
    uri = uri_of("many.cu")
    server.open(uri, many)
    check(len(conflicts(server.diagnostics(uri))) == 16, "a text with 40 launches")
    # PTX, which says its launch in the same way; saved and not.
    with open(os.path.join(WORK, "transpose.ptx")) as file:
        ptx = "// smembank: --entry 'transpose<0>' --block 32,8 --grid 4,4 --arg 2=128\n"
        ptx += "".join(line for line in file if not line.strip().startswith(".loc"))  # or places would be those of its source
    for name, is_saved in ("saved.ptx", True), ("memory.ptx", False):
        uri = save(name, ptx) if is_saved else uri_of(name)
        server.open(uri, ptx)
        found = conflicts(server.diagnostics(uri))
        check(found and all("ld.shared" in cut(ptx, one["range"]) for one in found), f"{name}: {found}")
    # What is no kernel is left alone.
    server.tell("textDocument/didOpen", {"textDocument": {"uri": uri_of("x.cpp"), "languageId": "cpp", "version": 1, "text": wrong}})
    check(server.ask("textDocument/hover", {"textDocument": {"uri": uri_of("x.cpp")}, "position": {"line": 0, "character": 0}})["result"] is None,
          "a text of another language")
    server.end()


def test_compiled():
    """What is shown is of what a compiler makes of the text, everywhere."""
    text = ("// smembank: --block 32\n__global__ void k() {\n  __shared__ int s[32][32];\n"
            "  for (int i = 0; i < 4; i++)\n    s[threadIdx.x][i] = i;\n}\n")
    server = Server(SMEMBANK_NVCC=os.path.join(WORK, "nvcc"), NVCC_CALLS=os.path.join(WORK, "calls"))
    uri = uri_of("compiled.cu")
    server.open(uri, text)
    found = conflicts(server.diagnostics(uri))
    check(len(found) == 1 and "takes 16 wavefronts" in found[0]["message"], f"diagnostics: {found}")
    document = {"textDocument": {"uri": uri}, "range": WHOLE}
    hints = server.ask("textDocument/inlayHint", document)["result"]
    check([(hint["position"]["line"], hint["label"]) for hint in hints] == [(4, "16 wavefronts, ideal 1")], f"hints: {hints}")
    hover = server.ask("textDocument/hover", {**document, "position": found[0]["range"]["start"]})["result"]["contents"]["value"]
    check("nvcc makes st.shared.u32: 1 request, 16 wavefronts" in hover and "In the text: store of s" in hover, f"hover: {hover}")
    actions = server.ask("textDocument/codeAction", {**document, "range": found[0]["range"], "context": {"diagnostics": []}})["result"]
    check(actions and all("16 -> 16 wavefronts of the kernel as compiled" in action["title"] for action in actions), f"actions: {actions}")
    server.end()


def test_cancel():
    server = Server()
    slow = "// smembank: --block 1024 --grid 60000\n"
    slow += "__global__ void k(float *p) { for (int i = 0; i < 900; i++) p[threadIdx.x] += i; }\n"
    uri = uri_of("slow.cu")
    server.open(uri, slow)
    query = {"textDocument": {"uri": uri}, "position": {"line": 1, "character": 50}}
    first, second = server.begin("textDocument/hover", query), server.begin("textDocument/hover", query)
    server.tell("$/cancelRequest", {"id": first})
    server.tell("$/cancelRequest", {"id": 12345})
    check(server.answer(first)["error"]["code"] == -32800, "a request that is cancelled")
    # One more than may wait is refused; the others are answered when the text is closed.
    more = [server.begin("textDocument/hover", query) for _ in range(1000)]
    check(server.answer(more[-1])["error"]["code"] == -32600, "more requests than may wait")
    server.tell("textDocument/didClose", {"textDocument": {"uri": uri}})
    for number in [second] + more[:-1]:
        check(server.answer(number)["result"] is None, "a request about a text that is closed")
    server.end()


def test_protocol():
    server = Server(begins=False)
    check(server.ask("textDocument/hover", {})["error"]["code"] == -32002, "a request before initialize")
    server.open(uri_of("early.cu"), LAUNCH + KERNEL)
    check("result" in server.ask("initialize", {}), "initialize")
    check(server.ask("initialize", {})["error"]["code"] == -32600, "initialize twice")
    check(server.ask("no/such", {})["error"]["code"] == -32601, "an unknown method")
    server.tell("$/setTrace", {"value": "off"})
    for method in "hover", "inlayHint", "codeAction":
        check(server.ask(f"textDocument/{method}", None)["result"] is None, f"{method} without parameters")
    for method in "didOpen", "didChange", "didSave", "didClose":
        for params in None, {}, {"textDocument": 1}, {"textDocument": {"uri": 5, "text": None}}, {"textDocument": {"uri": "nonsense:", "text": "x"}}:
            server.tell(f"textDocument/{method}", params)
    server.write(b"Content-Length: 3\r\nContent-Type: x\r\n\r\n{]}")
    check(server.receive()["error"]["code"] == -32700, "what is not JSON")
    body = b'{"jsonrpc":"2.0","id":"a","method":"shutdown"}'
    for piece in (b"Content-Length: %d\r\n\r\n" % len(body) + body):
        server.write(bytes([piece]))
    check(server.receive() == {"jsonrpc": "2.0", "id": "a", "result": None}, "a message in pieces")
    server.tell("exit", None)
    check(server.process.wait(60) == 0, "exit")
    # Ends that are none.
    for data, status in ((b"", 1), (b"no header\r\n\r\n", 3), (b"Content-Length: x\r\n\r\n", 3), (b"A: b\r\n\r\n", 3),
                         (b"Content-Length: 99999999999\r\n\r\n", 3), (b"x" * 10000, 3), (b"Content-Length: 10\r\n\r\n{", 1)):
        server = Server(begins=False)
        server.write(data)
        server.process.stdin.close()
        check(server.process.wait(60) == status, f"{data[:40]!r}: exit status {server.process.returncode}, expected {status}")
        said = server.process.stderr.read()
        check((b"smembank lsp: " in said) == (status == 3), f"{data[:40]!r}: {said}")
    server = Server()
    server.tell("exit", None)
    check(server.process.wait(60) == 1, "exit without shutdown")


for test in (test_session, test_edits, test_launches, test_compiled, test_cancel, test_protocol):
    test()
