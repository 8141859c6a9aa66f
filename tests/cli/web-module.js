// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The program of the page (web/) in Node: what web-counts.js and web-page.js share.
'use strict';
const fs = require('fs');
const path = require('path');

// A module listens to errors of the process, and each command line has a module of its own.
process.setMaxListeners(0);

// Returns: run(question), see web/page/engine.js; @site: what `make web` made.
exports.loadEngine = site => {
  const {makeEngine} = require(path.resolve(site, 'engine.js'));
  const code = new WebAssembly.Module(fs.readFileSync(path.join(site, 'smembank.wasm')));
  const data = fs.readFileSync(path.join(site, 'smembank.data'));
  return makeEngine(require(path.resolve(site, 'smembank.js')), code, data.buffer.slice(data.byteOffset, data.byteOffset + data.length));
};
