// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Starts 'smembank lsp' for kernels that are open. All that is shown is the server's: see doc/editors.md.
"use strict";

const fs = require("fs");
const path = require("path");
const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

let client;

/** The program: the user's, that of the extension, or the one of the PATH. */
function findProgram(folder) {
  const own = vscode.workspace.getConfiguration("smembank").get("path");
  const inside = path.join(folder, "bin", process.platform === "win32" ? "smembank.exe" : "smembank");
  return own || (fs.existsSync(inside) ? inside : "smembank");
}

/** A compiler reads what a text includes: not before the user trusts the workspace. */
function isTextOnly() {
  return !vscode.workspace.isTrusted || vscode.workspace.getConfiguration("smembank").get("textOnly");
}

async function start(folder) {
  const server = {
    command: findProgram(folder),
    args: isTextOnly() ? ["lsp", "--text"] : ["lsp"],
    transport: TransportKind.stdio,
  };
  client = new LanguageClient("smembank", "smembank", server, {
    documentSelector: [
      { scheme: "file", language: "cuda-cpp" },
      { scheme: "untitled", language: "cuda-cpp" },
      { scheme: "file", pattern: "**/*.{cu,hip,ptx}" },
    ],
    synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher("**/smembank.ini") },
  });
  try {
    await client.start();
  } catch (error) {
    vscode.window.showErrorMessage(`smembank: '${server.command}' cannot be started: ${error.message}. Set smembank.path.`);
  }
}

async function stop() {
  const old = client;
  client = undefined;
  if (old) await old.stop();
}

async function activate(context) {
  const restart = async () => {
    await stop();
    await start(context.extensionPath);
  };
  context.subscriptions.push(
    vscode.commands.registerCommand("smembank.restart", restart),
    vscode.workspace.onDidGrantWorkspaceTrust(restart),
    vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration("smembank") && restart()),
  );
  await start(context.extensionPath);
}

module.exports = { activate, deactivate: stop };
