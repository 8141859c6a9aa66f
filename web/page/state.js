// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the page shows, as the fragment of its address: members that are as they are at first are left out.
'use strict';

const FIRST = {
  view: 'kernel',
  text: `__global__ void transpose(float *out, const float *in, int n) {
  __shared__ float tile[32][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8)
    tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8)
    out[(y + i) * n + x] = tile[threadIdx.x][threadIdx.y + i];
}
`,
  block: '32,8', grid: '4,4', arch: 'sm_90', entry: '', args: 'n=128', defines: '', dynamic: '', more: '',
  shown: 'report', line: '', op: '', warp: '',
  file: '', code: '', // machine code: the name of its file, and its bytes in base64, in the place of the text
  layout: 'Swizzle<3,3,3> o (64,64):(64,1) xf16', accesses: 'store row vec=8\nldmatrix.x4', find: '', layoutArch: 'sm_90',
  step: '1',
};

// A longer one is not in the link: its file has to be opened again.
const MAX_LINKED = 1 << 17;

function readState(fragment) {
  const given = new URLSearchParams(fragment.replace(/^#/, ''));
  const known = [...given].filter(([key]) => key in FIRST);
  return {...FIRST, ...Object.fromEntries(known)};
}

function writeState(state) {
  const changed = Object.entries(state).filter(([key, value]) => value !== FIRST[key] && value.length <= MAX_LINKED && !(state.file && key === 'text'));
  return changed.length ? `#${new URLSearchParams(changed)}` : '#';
}

// The words of a line as a shell takes them apart, without its other signs.
function splitWords(line) {
  return (line.match(/(?:[^\s'"]+|'[^']*'|"[^"]*")+/g) || []).map(word => word.replace(/'([^']*)'|"([^"]*)"/g, '$1$2'));
}

function quoteWord(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`;
}

// The bytes of machine code as a string of them, and back.
function encodeBytes(bytes) {
  let text = '';
  for (let at = 0; at < bytes.length; at += 4096)
    text += String.fromCharCode(...bytes.subarray(at, at + 4096));
  return btoa(text);
}

function decodeBytes(code) {
  return Uint8Array.from(atob(code), letter => letter.charCodeAt(0));
}

// Text, if it is one: machine code and containers of it have bytes that no text has.
function textOf(bytes) {
  try {
    const text = new TextDecoder('utf-8', {fatal: true}).decode(bytes);
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
}

function kernelFile(state) {
  if (state.file)
    return state.file.replace(/^-/, './-');
  return /^\s*(\/\/.*\n\s*)*\.version\b/.test(state.text) ? 'kernel.ptx' : 'kernel.cu';
}

// What the program reads.
function kernelFiles(state) {
  return {[kernelFile(state)]: state.file ? decodeBytes(state.code) : state.text};
}

// The options that say which kernel and launch are meant.
function launchWords(state) {
  const one = {'--block': state.block, '--grid': state.grid, '--entry': state.entry, '--dynamic-bytes': state.dynamic};
  const given = Object.entries(one).filter(([, value]) => value.trim()).map(([option, value]) => `${option}=${value.trim()}`);
  const many = (option, list) => splitWords(list).map(value => `${option}=${value}`);
  return [kernelFile(state), ...given, `--arch=${state.arch}`, ...many('--arg', state.args), ...many('--define', state.defines),
    ...splitWords(state.more)];
}

// The command line whose answer a state shows.
function commandWords(state) {
  if (state.view === 'layout') {
    const accesses = state.accesses.split('\n').map(line => line.trim()).filter(Boolean).map(line => `--access=${line}`);
    return ['layout', state.layout, ...accesses, ...(state.find ? [`--find=${state.find}`] : []), `--arch=${state.layoutArch}`];
  }
  if (state.view === 'course')
    return ['learn', state.step, '--all'];
  const launch = launchWords(state);
  const which = [['--line', state.line], ['--op', state.op], ['--warp', state.warp]].filter(([, value]) => value)
    .map(([option, value]) => `${option}=${value}`);
  return {
    report: ['report', 'report.html', ...launch],
    explain: ['explain', ...launch, ...which],
    advise: ['advise', ...launch],
    text: ['analyze', ...launch],
  }[state.shown];
}

if (typeof exports === 'object')
  Object.assign(exports, {FIRST, readState, writeState, splitWords, quoteWord, launchWords, commandWords, textOf, kernelFiles});
