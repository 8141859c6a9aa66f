// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// web-counts.js SITE SMEMBANK CASES CODE WORK: the page's program says of each case of the kernel language (tests/test-kernel.c), of each
// built-in kernel, of each kernel of the cubins in the folder CODE and of some other command lines what the program on this machine says,
// to the byte.
'use strict';
const {spawnSync} = require('child_process');
const fs = require('fs');
const path = require('path');
const {loadEngine} = require('./web-module.js');

const [site, program, cases, code, work] = process.argv.slice(2);
const run = loadEngine(site);
let compared = 0, failed = 0;

// Both on one command line, with files that it reads. Returns: what the program wrote to standard error.
async function compare(name, words, files = {}) {
  for (const [file, content] of Object.entries(files))
    fs.writeFileSync(path.join(work, file), content);
  const native = spawnSync(program, words, {cwd: work, encoding: 'utf8', env: {PATH: process.env.PATH, COLUMNS: '80', HOME: work, LANG: 'C.UTF-8'}});
  const got = await run({words, files});
  compared += 1;
  const same = got.status === native.status && got.out === native.stdout && got.err === native.stderr;
  if (same)
    return native.stderr;
  failed += 1;
  console.log(`FAIL: ${name}: smembank ${words.join(' ')}\n--- program, status ${native.status}\n${native.stdout}${native.stderr}` +
    `--- page, status ${got.status}\n${got.out}${got.err}`.slice(0, 4000));
  return native.stderr;
}

// The options of the command line that a word of a %%RUN line is.
function optionOf(word) {
  const [, key, value] = word.match(/^([a-z]+)[=:](.*)$/s);
  const option = {block: 'block', grid: 'grid', dynamic: 'dynamic-bytes', entry: 'instance', arch: 'arch', arg: 'arg', buffer: 'buffer',
    def: 'define', steps: 'max-steps', depth: 'max-depth', tokens: 'max-tokens', memory: 'max-memory', wave: 'wave'}[key];
  return option && `--${key === 'entry' && !value.includes('<') ? 'entry' : option}=${value}`;
}

function readCases(file) {
  const parts = fs.readFileSync(file, 'utf8').split(/^%%RUN ?/m).slice(1);
  return parts.map(part => {
    const [, options, body] = part.match(/^(.*)\n([^]*?)^%%(?:GIVES|FAIL)/m);
    const text = /__global__/.test(body) ? body : `__global__ void k(int *out, float *in) { int t = threadIdx.x;\n${body}}\n`;
    return {options: options.split(/\s+/).filter(Boolean).map(optionOf).filter(Boolean), text};
  });
}

async function main() {
  for (const file of fs.readdirSync(cases).filter(name => name.endsWith('.case')).sort()) {
    for (const [index, {options, text}] of readCases(path.join(cases, file)).entries()) {
      await compare(`${file}, case ${index + 1}`, ['analyze', 'k.cu', '--text', '--format=json', ...options], {'k.cu': text});
    }
  }
  const listed = await run({words: ['list', 'kernels', '--format=json']});
  for (const {name, shape} of JSON.parse(listed.out).kernels) {
    for (const command of ['analyze', 'explain', 'advise'])
      await compare(name, [command, '--text', '--kernel', name, '--shape', shape]);
  }
  for (const file of fs.readdirSync(code).filter(name => name.endsWith('.cubin')).sort()) {
    const files = {[file]: fs.readFileSync(path.join(code, file))};
    const said = await compare(file, ['analyze', file, '--block=64', '--unknown=skip'], files);
    const [list = ''] = said.match(/ has several kernels: .* \(choose/) || [];
    for (const [, kernel] of list.matchAll(/'([^']*)'/g)) {
      for (const command of ['analyze', 'explain'])
        await compare(`${file}, ${kernel}`, [command, file, `--entry=${kernel}`, '--block=64', '--unknown=skip'], files);
    }
  }
  for (const words of [['layout', '(32,32):(33,1)', '--access=row', '--access=column'],
    ['layout', 'tma:128B 64x64xf16', '--access=ldmatrix.x4', '--find=swizzle'], ['list', 'archs'], ['learn', '--list'],
    ['learn', '15', '--all'], ['analyze', '--no-such-option'], ['explain', '--rows=32', '--cols=32', '--text']])
    await compare('others', words);
  console.log(`${compared} command lines, ${failed} differ`);
  process.exitCode = failed || compared < 600 ? 1 : 0;
}

main();
