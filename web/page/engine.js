// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Runs command lines of the program, compiled to WebAssembly, each in a module of its own, as in a process of its own. What it reads and
// writes is in memory. It is the same in a browser's worker and in Node.
'use strict';

// The folder that a command line runs in.
const FOLDER = '/work';

/**
 * makeEngine: create: Emscripten's function that makes a module; code: the WebAssembly.Module; data: an ArrayBuffer of the files that the
 * program comes with.
 * Returns: run(question), where a question is
 *   {words: the command line, columns: of the text, input: of standard input, files: {NAME: TEXT or Uint8Array} that it reads,
 *    wanted: names of files that it writes}
 * and its answer, which is a promise of
 *   {status: the exit status, -1 if the browser ended the program, out, err, files: {NAME: TEXT} of the wanted ones that are there}.
 */
function makeEngine(create, code, data) {
  const decoder = new TextDecoder();
  let next = load();

  // The environment is read when a module starts, before the question is known: run() adds $COLUMNS.
  async function load() {
    const streams = {input: new Uint8Array(), at: 0, out: [], err: []};
    const module = await create({
      instantiateWasm(imports, ready) {
        WebAssembly.instantiate(code, imports).then(instance => ready(instance, code));
        return {};
      },
      getPreloadedPackage: () => data,
      preRun: [instance => Object.assign(instance.ENV, {SMEMBANK_DATADIR: '/data', HOME: '/', LANG: 'C.UTF-8'})],
      stdin: () => (streams.at < streams.input.length ? streams.input[streams.at++] : null),
      stdout: byte => streams.out.push(byte),
      stderr: byte => streams.err.push(byte),
    });
    return {module, streams};
  }

  function text(bytes) {
    return decoder.decode(Uint8Array.from(bytes));
  }

  async function run({words, columns = 80, input = '', files = {}, wanted = []}) {
    const mine = next;
    next = load();
    const {module, streams} = await mine;
    const {FS} = module;
    streams.input = new TextEncoder().encode(input);
    module.ccall('setenv', 'number', ['string', 'string', 'number'], ['COLUMNS', String(columns), 1]);
    FS.mkdir(FOLDER);
    FS.chdir(FOLDER);
    for (const [name, content] of Object.entries(files))
      FS.writeFile(name, content);
    let status = -1;
    try {
      status = module.callMain(words);
    } catch (error) {
      streams.err.push(...new TextEncoder().encode(`smembank: the browser ended the program: ${error}\n`));
    }
    const written = wanted.filter(name => FS.analyzePath(name).exists);
    return {
      status,
      out: text(streams.out),
      err: text(streams.err),
      files: Object.fromEntries(written.map(name => [name, FS.readFile(name, {encoding: 'utf8'})])),
    };
  }

  return run;
}

if (typeof exports === 'object')
  exports.makeEngine = makeEngine;
