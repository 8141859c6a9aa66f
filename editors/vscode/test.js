// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The extension without an editor: 'vscode' and the client are stand-ins, the server is the real one. node test.js SMEMBANK FOLDER
"use strict";

const assert = require("assert");
const { execFileSync, spawn } = require("child_process");
const fs = require("fs");
const Module = require("module");
const path = require("path");

const program = path.resolve(process.argv[2] || process.env.SMEMBANK || "smembank");
const work = path.resolve(process.argv[3] || fs.mkdtempSync(path.join(require("os").tmpdir(), "smembank-")));
const kernel = `// smembank: --block 32 --grid 1
__global__ void k(int *out) {
  __shared__ int s[32][32];
  s[threadIdx.x][0] = 1;
  out[threadIdx.x] = s[threadIdx.x][0];
}
`;

// What the extension asks the editor for.
const settings = { path: program, textOnly: false };
const events = {};
const editor = {
  workspace: {
    isTrusted: false,
    getConfiguration: (section) => (assert.strictEqual(section, "smembank"), { get: (name) => settings[name] }),
    createFileSystemWatcher: (pattern) => ({ pattern }),
    onDidGrantWorkspaceTrust: (call) => ((events.trust = call), { dispose() {} }),
    onDidChangeConfiguration: (call) => ((events.settings = call), { dispose() {} }),
  },
  commands: { registerCommand: (name, call) => ((events[name] = call), { dispose() {} }) },
  window: { showErrorMessage: (message) => messages.push(message) },
};
const messages = [];
const started = [];

/** Speaks the protocol with a server as it is started for the editor. */
class Client {
  constructor(id, name, server, options) {
    Object.assign(this, { id, name, server, options, bytes: Buffer.alloc(0), waiting: new Map(), n: 0, notes: [] });
    started.push(this);
  }
  start() {
    return new Promise((resolve, reject) => {
      this.process = spawn(this.server.command, [...this.server.args, "--stdio"], { stdio: ["pipe", "pipe", "inherit"] });
      this.process.on("error", reject);
      this.process.stdout.on("data", (data) => this.take(data));
      this.ended = new Promise((end) => this.process.on("exit", end));
      this.process.on("spawn", async () => {
        this.capabilities = (await this.ask("initialize", { processId: process.pid, rootUri: null, capabilities: {} })).capabilities;
        this.tell("initialized", {});
        resolve();
      });
    });
  }
  send(message) {
    const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
    this.process.stdin.write(`Content-Length: ${body.length}\r\n\r\n`);
    this.process.stdin.write(body);
  }
  tell(method, params) {
    this.send({ method, params });
  }
  ask(method, params) {
    const id = ++this.n;
    this.send({ id, method, params });
    return new Promise((resolve) => this.waiting.set(id, resolve));
  }
  take(data) {
    this.bytes = Buffer.concat([this.bytes, data]);
    for (;;) {
      const end = this.bytes.indexOf("\r\n\r\n");
      const length = end < 0 ? 0 : Number(/Content-Length: (\d+)/.exec(this.bytes.subarray(0, end).toString())[1]);
      if (end < 0 || this.bytes.length < end + 4 + length) return;
      const message = JSON.parse(this.bytes.subarray(end + 4, end + 4 + length).toString());
      this.bytes = this.bytes.subarray(end + 4 + length);
      if ("id" in message) this.waiting.get(message.id)(message.result);
      else if (this.noted) this.noted(message);
      else this.notes.push(message);
    }
  }
  next() {
    return this.notes.length ? Promise.resolve(this.notes.shift()) : new Promise((resolve) => (this.noted = (note) => ((this.noted = undefined), resolve(note))));
  }
  async stop() {
    await this.ask("shutdown");
    this.tell("exit");
    this.status = await this.ended;
  }
}

const load = Module._load;
Module._load = (name, ...rest) =>
  name === "vscode" ? editor
  : name === "vscode-languageclient/node" ? { LanguageClient: Client, TransportKind: { stdio: 0 } }
  : load(name, ...rest);

async function main() {
  const about = JSON.parse(fs.readFileSync(path.join(__dirname, "package.json"), "utf8"));
  assert.strictEqual(execFileSync(program, ["--version"]).toString(), `smembank ${about.version}\n`);
  const extension = require(path.join(__dirname, about.main));
  const context = { extensionPath: __dirname, subscriptions: [] };
  await extension.activate(context);
  assert.deepStrictEqual(messages, []);
  assert.strictEqual(context.subscriptions.length, 3);
  for (const { command } of about.contributes.commands) assert.ok(events[command], `${command} is registered`);
  assert.deepStrictEqual(Object.keys(about.contributes.configuration.properties), ["smembank.path", "smembank.textOnly"]);
  assert.ok(about.activationEvents.includes(`onLanguage:${started[0].options.documentSelector[0].language}`));
  // The editor itself knows CUDA C alone.
  for (const ending of [".hip", ".ptx"]) {
    const language = about.contributes.languages.find(({ extensions }) => extensions.includes(ending));
    assert.ok(about.activationEvents.includes(`onLanguage:${language && language.id}`), `${ending} alone does not start the server`);
  }

  // An untrusted workspace: no compiler. A real server answers.
  assert.deepStrictEqual(started[0].server.args, ["lsp", "--text"]);
  assert.ok(started[0].capabilities.hoverProvider && started[0].capabilities.inlayHintProvider && started[0].capabilities.codeActionProvider);
  const uri = require("url").pathToFileURL(path.join(work, "k.cu")).href;
  started[0].tell("textDocument/didOpen", { textDocument: { uri, languageId: "cuda-cpp", version: 1, text: kernel } });
  const { method, params } = await started[0].next();
  assert.strictEqual(method, "textDocument/publishDiagnostics");
  assert.deepStrictEqual(params.diagnostics.map((one) => [one.code, one.range.start.line]).sort(), [["bank-conflict", 3], ["bank-conflict", 4]]);
  const hover = await started[0].ask("textDocument/hover", { textDocument: { uri }, position: { line: 3, character: 4 } });
  assert.match(hover.contents.value, /32 wavefronts, ideal 1/);

  // Trust, settings and the command start it anew; the old one ends as it should.
  editor.workspace.isTrusted = true;
  await events.trust();
  assert.strictEqual(started[0].status, 0);
  assert.deepStrictEqual(started[1].server.args, ["lsp"]);
  settings.textOnly = true;
  await events.settings({ affectsConfiguration: (section) => section === "smembank" });
  assert.deepStrictEqual(started[2].server.args, ["lsp", "--text"]);
  events.settings({ affectsConfiguration: () => false });
  await events["smembank.restart"]();
  assert.strictEqual(started.length, 4);
  await extension.deactivate();
  assert.deepStrictEqual(started.map((one) => one.status), [0, 0, 0, 0]);

  // A program that is not there is said, and does not end the editor.
  settings.path = path.join(work, "absent");
  await extension.activate(context);
  assert.match(messages[0], /absent' cannot be started: .*Set smembank\.path/);
  // Without a setting: the program of the extension, or else of the PATH.
  settings.path = "";
  context.extensionPath = work;
  fs.mkdirSync(path.join(work, "bin"), { recursive: true });
  fs.symlinkSync(program, path.join(work, "bin", "smembank"));
  await extension.activate(context);
  assert.strictEqual(started.at(-1).server.command, path.join(work, "bin", "smembank"));
  await extension.deactivate();
  fs.unlinkSync(path.join(work, "bin", "smembank"));
  process.env.PATH = "";
  await extension.activate(context);
  assert.strictEqual(started.at(-1).server.command, "smembank");
  console.log("passed");
}

main().then(
  () => process.exit(0),
  (error) => {
    console.error(`FAIL: ${error.stack}`);
    process.exit(1);
  },
);
