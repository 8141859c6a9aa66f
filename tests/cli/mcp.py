#!/usr/bin/env python3
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
"""Speaks the Model Context Protocol with 'smembank mcp', as agents' programs do: both ways to begin, every tool, what is refused,
cancellation, and what is no protocol at all. Usage: mcp.py SMEMBANK WORK_FOLDER SOURCE_FOLDER"""
import json
import os
import select
import subprocess
import sys
import time

PROGRAM, WORK, SOURCE = sys.argv[1:4]
VERSION = "io.modelcontextprotocol/protocolVersion"
META = {VERSION: "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
KERNEL = open(os.path.join(WORK, "transpose.cu")).read()
LAUNCH = {"block": [32, 32], "grid": [4, 4], "args": {"n": 128}}


def fail(message):
    sys.exit(f"FAIL: mcp: {message}")


def check(condition, message):
    if not condition:
        fail(message)


class Server:
    def __init__(self, *options, **environment):
        self.process = subprocess.Popen([PROGRAM, "mcp", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env={**os.environ, **environment})
        self.n = 0

    def send(self, message):
        self.process.stdin.write(message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def receive(self):
        line = self.process.stdout.readline()
        check(line.endswith(b"\n"), f"no answer: {line!r}, {self.process.stderr.read1() if line == b'' else ''}")
        return json.loads(line)

    def is_silent(self, seconds):
        return not select.select([self.process.stdout], [], [], seconds)[0]

    def ask(self, method, params=None, meta=META):
        self.n += 1
        params = dict(params or {})
        if meta is not None:
            params["_meta"] = meta
        self.send({"jsonrpc": "2.0", "id": self.n, "method": method, "params": params})
        answer = self.receive()
        check(answer.get("jsonrpc") == "2.0" and answer.get("id") == self.n, f"{method}: {answer}")
        check(("result" in answer) != ("error" in answer), f"{method}: {answer}")
        return answer

    def call(self, name, **arguments):
        result = self.ask("tools/call", {"name": name, "arguments": arguments}).get("result")
        check(result and result["resultType"] == "complete", f"{name}: {result}")
        check([part["type"] for part in result["content"]] == ["text"], f"{name}: {result}")
        return result

    def end(self):
        self.process.stdin.close()
        status = self.process.wait(60)
        self.process.stdout.close()
        self.process.stderr.close()
        return status


def code(answer):
    return answer.get("error", {}).get("code")


def command(*words):
    """What the command line says: the tools say the same."""
    return subprocess.run([PROGRAM, *words], capture_output=True, cwd=WORK, check=False).stdout.decode()


def validate(schema, value, what):
    try:
        import jsonschema
    except ImportError:
        return
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(value, schema)


def test_discovery():
    server = Server()
    found = server.ask("server/discover")["result"]
    check("2026-07-28" in found["supportedVersions"] and found["capabilities"] == {"tools": {}}, f"discover: {found}")
    check(found["resultType"] == "complete" and found["ttlMs"] >= 0 and found["cacheScope"] == "public", f"discover: {found}")
    check(found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "smembank", f"discover: {found}")
    # What a request has to say, and what it cannot ask for.
    check(code(server.ask("tools/list", meta=None)) == -32602, "a request without _meta")
    check(code(server.ask("tools/list", meta={VERSION: "2026-07-28"})) == -32602, "a request without capabilities")
    answer = server.ask("tools/list", meta={**META, VERSION: "1900-01-01"})
    check(code(answer) == -32022 and answer["error"]["data"]["requested"] == "1900-01-01", f"another version: {answer}")
    check(answer["error"]["data"]["supported"] == found["supportedVersions"], f"another version: {answer}")
    answer = server.ask("tools/list", meta={**META, VERSION: "2025-11-25"})
    check(code(answer) == -32022 and "2025-11-25" not in answer["error"]["data"]["supported"] and
          "begins with initialize" in answer["error"]["message"], f"a version that begins otherwise: {answer}")
    check(code(server.ask("initialize")) == -32601 and code(server.ask("ping")) == -32601, "the old handshake in the new revision")
    check(code(server.ask("resources/list")) == -32601, "a method that there is not")
    tools = server.ask("tools/list")["result"]
    names = [tool["name"] for tool in tools["tools"]]
    check(names == ["count", "explain", "advise", "time", "layout"], f"tools: {names}")
    for tool in tools["tools"]:
        schema = tool["inputSchema"]
        check(schema["type"] == "object" and schema["additionalProperties"] is False, f"{tool['name']}: {schema}")
        check(all(entry["description"] for entry in schema["properties"].values()), f"{tool['name']}: a property says nothing")
        check(tool["annotations"]["readOnlyHint"] is True, f"{tool['name']}: it only reads")
        validate(schema, {} if tool["name"] != "layout" else {"layout": "x", "access": []}, tool["name"])
    check(server.end() == 0, "the end of standard input is an error")


def test_handshake():
    for wanted, given in ("2025-06-18", "2025-06-18"), ("2025-11-25", "2025-11-25"), ("2024-11-05", "2025-11-25"):
        server = Server()
        check(code(server.ask("tools/list", meta=None)) == -32602, "tools before initialize")
        found = server.ask("initialize", {"protocolVersion": wanted, "capabilities": {}}, None)["result"]
        check(found["protocolVersion"] == given and found["serverInfo"]["name"] == "smembank", f"initialize: {found}")
        server.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        check(server.ask("ping", meta=None)["result"] == {}, "ping")
        check(len(server.ask("tools/list", meta=None)["result"]["tools"]) == 5, "tools/list")
        result = server.ask("tools/call", {"name": "count", "arguments": {"source": KERNEL, **LAUNCH}}, None)["result"]
        check(result["isError"] is False and "resultType" not in result, f"count: {result}")
        check(server.end() == 0, "the end of standard input is an error")


def test_tools():
    server = Server()
    schemas = {tool["name"]: tool.get("outputSchema") for tool in server.ask("tools/list")["result"]["tools"]}
    words = ["--block=32,32", "--grid=4,4", "--arg=n=128"]
    file = os.path.join(WORK, "transpose.cu")
    for name, line in (("count", ["analyze"]), ("explain", ["explain"]), ("advise", ["advise"])):
        result = server.call(name, file=file, **LAUNCH)
        check(result["isError"] is False, f"{name}: {result}")
        wanted = json.loads(command(*line, "--format=json", *words, file))
        check(result["structuredContent"] == wanted, f"{name}: its document is not that of {line}")
        text = command(*line, *words, file)
        check(text and text in result["content"][0]["text"], f"{name}: its text is not that of {line}")
        validate(schemas[name], result["structuredContent"], name)
    # A limit that failed is said, and no failure of the tool.
    limited = "// smembank: --block 32,32 --grid 4,4 --arg n=128 --max-ways 1\n" + KERNEL
    result = server.call("count", source=limited)
    check(result["isError"] is False and len(result["structuredContent"]["failed_limits"]) == 1, f"a failed limit: {result}")
    check("more than --max-ways 1" in result["content"][0]["text"].rstrip().split("\n\n")[-1], f"a failed limit: {result}")
    # A text in memory, a choice of an access, and a kernel that is built in.
    result = server.call("explain", source=KERNEL, line=8, **LAUNCH)
    check(result["structuredContent"]["access"]["line"] == 8, f"explain line 8: {result}")
    check(result["structuredContent"]["access"]["file"] == "kernel.cu", f"explain: {result}")
    result = server.call("count", kernel="transposeSmem")
    check(result["structuredContent"]["kernel"]["name"] == "transposeSmem", f"count kernel: {result}")
    result = server.call("count", source=KERNEL, text_only=True, arch="sm_80", defines={"PAD": 1}, **LAUNCH)
    check(result["structuredContent"]["totals"]["load"]["excess_wavefronts"] == 0, f"count with a padding: {result}")
    gather = "__global__ void k(const int *index) { __shared__ int s[1024]; s[index[threadIdx.x] * 32] = 1; }"
    for contents, excess in ("iota:i32", 31), ("zeros", 0):
        result = server.call("count", source=gather, block=[32], buffers={"index": contents})
        check(result["structuredContent"]["totals"]["store"]["excess_wavefronts"] == excess, f"count of {contents}: {result}")
    result = server.call("layout", layout="(32,32):(32,1)", access=["row", "column"], find="pad")
    check("31 of 33" in result["content"][0]["text"] and result["structuredContent"]["command"] == "layout", f"layout: {result}")
    result = server.call("time", file=os.path.join(SOURCE, "tests/data/sass/transpose.sm_90.cubin"), entry="transpose<0>",
                         block=[32, 8], grid=[64, 64], args={"2": 2048}, device="h100", clock_ghz=1.5)
    check(result["structuredContent"]["time"]["clock_ghz"] == 1.5, f"time: {result}")
    check(result["structuredContent"]["time"]["microseconds"] > 0 and "Time on" in result["content"][0]["text"], f"time: {result}")
    check(server.end() == 0, "the end of standard input is an error")


def test_refusals():
    server = Server()
    for name, arguments, said in (
        ("count", {"source": KERNEL}, "exit status 2: "),
        ("count", {"source": KERNEL.replace("tile[threadIdx.x]", "lost[0]"), **LAUNCH}, "exit status 3: kernel.cu:"),
        ("count", {"file": os.path.join(WORK, "absent.cu"), **LAUNCH}, "exit status 3: "),
        ("count", {}, "expected one of file, source and kernel"),
        ("count", {"file": "a", "source": "b"}, "expected one of file, source and kernel"),
        ("count", {"source": KERNEL, "nvcc": "-ccbin ./x"}, "no argument 'nvcc'"),
        ("count", {"source": KERNEL, "output": "x"}, "no argument 'output'"),
        ("count", {"source": KERNEL, "block": "32"}, "argument 'block': expected"),
        ("count", {"source": KERNEL, "block": [1, 1, 1, 1]}, "argument 'block': expected"),
        ("count", {"source": KERNEL, "args": {"n": []}}, "argument 'args': expected"),
        ("count", {"source": KERNEL, "include": [1]}, "argument 'include': expected"),
        ("time", {"source": KERNEL, "clock_ghz": "fast"}, "argument 'clock_ghz': expected a number"),
        ("count", {"source": 1}, "argument 'source': expected a text"),
        ("count", {"file": "--output=x"}, "exit status 3: "),
        ("count", {"file": "-"}, "exit status 3: "),
        ("layout", {"access": ["row"]}, "missing argument 'layout'"),
        ("explain", {"source": KERNEL, "line": -1, **LAUNCH}, "exit status 2: "),
        # What to give is said in the words of the tools.
        ("count", {"source": KERNEL}, ": give args {\"n\": VALUE}, block [X, Y, Z]"),
        ("count", {"kernel": "none"}, "'none': expected one of "),
        ("count", {"source": "__global__ void k() { for (;;); }", "text_only": True, "block": [32]}, "(no argument allows more: give it less work)"),
    ):
        result = server.call(name, **arguments)
        check(result["isError"] is True and said in result["content"][0]["text"], f"{name} {arguments}: {result}")
        check("structuredContent" not in result, f"{name}: {result}")
    check(not os.path.exists("x") and not os.path.exists(os.path.join(WORK, "x")), "an argument became another option")
    check(code(server.ask("tools/call", {"name": "run", "arguments": {"command": ["true"]}})) == -32602, "run without --run")
    check(code(server.ask("tools/call", {"name": "none"})) == -32602, "a tool that there is not")
    check(server.end() == 0, "the end of standard input is an error")


def test_run():
    server = Server("--run")
    first = server.call("run", command=["true"])["content"][0]["text"]
    server.end()
    if "is neither next to the program" in first:
        print(f"run is not tried: {first}")  # a build of the program alone
        return
    mark = os.path.join(WORK, "mark")
    # A text that is a program is not run without --run, though an nvcc is there.
    program = os.path.join(WORK, "program.cu")
    with open(program, "w") as file:
        file.write("__global__ void k(int *p) { __shared__ int s[32]; s[threadIdx.x] = 1; p[0] = s[0]; }\nint main() { return 0; }\n")
    fake = os.path.join(WORK, "fake-nvcc")
    with open(fake, "w") as file:
        file.write(f"#!/bin/sh\ncase \"$*\" in *-cubin*|*-ptx*) ;; *) echo link >>{mark} ;; esac\nexit 1\n")
    os.chmod(fake, 0o755)
    for options, runs in ((), False), (("--run",), True):
        server = Server(*options, SMEMBANK_NVCC=fake)
        server.call("count", file=program)
        check(os.path.exists(mark) == runs, f"mcp {options}: built to be run: {not runs}")
        server.end()
    server = Server("--run")
    tools = server.ask("tools/list")["result"]["tools"]
    check(tools[-1]["name"] == "run" and tools[-1]["annotations"]["readOnlyHint"] is False, f"tools: {tools[-1]}")
    result = server.call("run", command=["sh", "-c", "echo heard; echo meant >&2; exit 0"])
    text = result["content"][0]["text"]
    check("exit status 0" in text and "heard" in text and "meant" in text, f"run: {result}")
    for status in 1, 7:
        result = server.call("run", command=["sh", "-c", f"exit {status}"])
        check(f"exit status {status}" in result["content"][0]["text"] and result["isError"] is True, f"run: {result}")
    # A program that fails has written something all the same.
    text = server.call("run", command=["sh", "-c", "echo heard; echo meant >&2; exit 5"])["content"][0]["text"]
    check("exit status 5" in text and "heard" in text and "meant" in text, f"run: {text}")
    # The text says what the document does.
    wrong = os.path.join(WORK, "wrong")
    if os.path.exists(wrong):
        result = server.call("run", command=[wrong], check=True)
        text = result["content"][0]["text"]
        check(len(result["structuredContent"]["findings"]) == 1 and result["isError"] is False, f"run: {result}")
        check("exit status 1\n" in text and "done" in text and "cudaFree() returned" in text, f"run: {text}")
    # What is cancelled ends, with all that it has started.
    alive = os.path.join(WORK, "alive")
    script = f"while :; do : >>{alive}; sleep 0.05; done & wait"
    server.send({"jsonrpc": "2.0", "id": "long", "method": "tools/call",
                 "params": {"name": "run", "arguments": {"command": ["sh", "-c", script]}, "_meta": META}})
    while not os.path.exists(alive):
        time.sleep(0.02)
    server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "long"}})
    server.ask("tools/list")
    os.remove(alive)
    time.sleep(0.3)
    check(not os.path.exists(alive), "a program that was cancelled runs on")
    check("expected either file or command" in server.call("run")["content"][0]["text"], "run of nothing")
    server.end()


def test_cancel():
    server = Server()
    endless = "__global__ void k(int *p) { for (;;) p[threadIdx.x] += 1; }"
    arguments = {"source": endless, "text_only": True, "block": [1024], "grid": [65535]}
    server.send({"jsonrpc": "2.0", "id": "slow", "method": "tools/call",
                 "params": {"name": "count", "arguments": arguments, "_meta": META}})
    begun = time.time()
    server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "slow"}})
    server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "none"}})
    server.send({"jsonrpc": "2.0", "method": "notifications/cancelled"})
    check("result" in server.ask("tools/list"), "an answer to what was cancelled")
    check(server.is_silent(0.5), "an answer to what was cancelled")
    check(server.end() == 0 and time.time() - begun < 30, "what was cancelled runs on")
    # What still runs ends with the server.
    server = Server()
    server.send({"jsonrpc": "2.0", "id": "slow", "method": "tools/call",
                 "params": {"name": "count", "arguments": arguments, "_meta": META}})
    # Others do not wait for it.
    check(server.call("layout", layout="(32,32):(33,1)", access=["row"])["isError"] is False, "a question beside a slow one")
    check(server.end() == 0, "the end of standard input is an error")


def test_hostile():
    server = Server()
    for bad, wanted in (
        (b"nonsense\n", -32700), (b"{\n", -32700), (b"\xff\xfe\n", -32700), (b"[" * 100000 + b"\n", -32700),
        (b'{"a":' * 5000 + b"1" + b"}" * 5000 + b"\n", -32700), (b"[]\n", -32600), (b"1\n", -32600), (b"{}\n", -32600),
        (b'{"jsonrpc":"1.0","id":1,"method":"x"}\n', -32600), (b'{"jsonrpc":"2.0","id":null,"method":"ping"}\n', -32600),
        (b'{"jsonrpc":"2.0","id":{},"method":"ping"}\n', -32600), (b'{"jsonrpc":"2.0","id":1,"method":7}\n', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1]}\n', -32602),
    ):
        server.send(bad)
        check(code(server.receive()) == wanted, f"{bad[:60]!r} is not refused with {wanted}")
    for ignored in (b"\n", b"  \r\n", b'{"jsonrpc":"2.0","method":"unknown/thing"}\n', b'{"jsonrpc":"2.0","id":5,"result":{}}\n'):
        server.send(ignored)
    check("result" in server.ask("server/discover"), "the server does not go on")
    check(server.end() == 0, "the end of standard input is an error")
    server = Server()
    try:
        for _ in range(66):
            server.send(b"x" * (1 << 20))
    except BrokenPipeError:
        pass
    check(code(server.receive()) == -32700, "a line without an end is not refused")
    check(server.process.wait(60) == 3 and b"67108864" in server.process.stderr.read(), "a line without an end")


for test in (test_discovery, test_handshake, test_tools, test_refusals, test_run, test_cancel, test_hostile):
    test()
