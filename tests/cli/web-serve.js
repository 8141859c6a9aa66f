// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// serve(FOLDER): a server of its files on this machine; a promise of it.
'use strict';
const fs = require('fs');
const http = require('http');
const path = require('path');

const TYPES = {'.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm', '.txt': 'text/plain'};

function serve(folder) {
  const server = http.createServer((asked, answer) => {
    const name = new URL(asked.url, 'http://x').pathname.replace(/\/$/, '/index.html');
    fs.readFile(path.join(folder, path.normalize(name)), (error, bytes) => {
      answer.writeHead(error ? 404 : 200, {'content-type': TYPES[path.extname(name)] || 'application/octet-stream'});
      answer.end(bytes);
    });
  });
  return new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(server)));
}

module.exports = {serve};
