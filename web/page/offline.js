// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Keeps the files of the page, for when there is no network; with one, new files are taken.
'use strict';

const FILES = ['./', 'index.html', 'page.css', 'state.js', 'page.js', 'worker.js', 'engine.js', 'smembank.js', 'smembank.wasm',
  'smembank.data', 'licenses.txt'];
const KEPT = 'smembank';

self.addEventListener('install', event => event.waitUntil(caches.open(KEPT).then(kept => kept.addAll(FILES)).then(() => self.skipWaiting())));
self.addEventListener('activate', event => event.waitUntil(self.clients.claim()));
self.addEventListener('fetch', event => event.respondWith(fetch(event.request).then(answer => {
  const copy = answer.clone();
  if (answer.ok && event.request.method === 'GET')
    event.waitUntil(caches.open(KEPT).then(kept => kept.put(event.request, copy)));
  return answer;
}).catch(() => caches.match(event.request, {ignoreSearch: true}).then(kept => kept || Response.error()))));
