// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The thread that answers: {id, ...question} becomes {id, ...answer} (engine.js).
'use strict';
importScripts('smembank.js', 'engine.js');

async function bytes(name) {
  const answer = await fetch(name);
  if (!answer.ok)
    throw new Error(`${name}: ${answer.status}`);
  return answer.arrayBuffer();
}

async function load() {
  const [code, data] = await Promise.all([bytes('smembank.wasm').then(WebAssembly.compile), bytes('smembank.data')]);
  return makeEngine(createSmembank, code, data);
}

const engine = load();
engine.then(() => postMessage({ready: true}), error => postMessage({failed: String(error)}));
onmessage = async ({data}) => {
  const run = await engine;
  postMessage({id: data.id, ...await run(data)});
};
