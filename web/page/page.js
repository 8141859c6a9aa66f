// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The view: what a reader types becomes a command line (state.js), and what the program answers is shown.
'use strict';

const find = id => document.getElementById(id);

// Which control shows which member of the state.
const CONTROLS = {
  text: 'text', block: 'block', grid: 'grid', arch: 'arch', entry: 'entry', args: 'args', defines: 'defines', dynamic: 'dynamic',
  more: 'more', line: 'line', op: 'op', warp: 'warp', layout: 'layout-text', accesses: 'accesses', find: 'find',
  layoutArch: 'layout-arch', step: 'step',
};
const VIEWS = ['kernel', 'layout', 'course'];
const RESULTS = {report: 'report', explain: 'explain', advise: 'advise', text: 'text-view'};
const LAYOUTS = [
  ['a padded tile', '(32,32):(33,1)', 'row\ncolumn'],
  ['a tile without padding', '(32,32):(32,1)', 'row\ncolumn'],
  ['CuTe: a swizzle for ldmatrix', FIRST.layout, FIRST.accesses],
  ['Triton: a swizzled layout', '#ttg.swizzled_shared<{vec=8, perPhase=1, maxPhase=8, order=[1,0]}> 64x64xf16', FIRST.accesses],
  ['TMA: 128-byte swizzle', 'tma:128B 64x64xf16', 'ldmatrix.x4'],
  ['a formula', 'r*72 + (c ^ r%8*8) 64x64xf16', FIRST.accesses],
];
const TYPING_MS = 500;

let state = readState(location.hash);
const before = []; // texts of the kernel, for Undo

// --- the program

let worker, waiting = new Map(), last = 0;

function startWorker() {
  for (const {resolve} of waiting.values())
    resolve(null);
  waiting = new Map();
  worker = new Worker('worker.js');
  worker.onmessage = ({data}) => {
    if (data.failed)
      say(`The program cannot be loaded: ${data.failed}`);
    const asked = waiting.get(data.id);
    waiting.delete(data.id);
    if (asked)
      asked.resolve(data);
  };
}

// An answer (engine.js), or null if another question came meanwhile.
function ask(question) {
  last += 1;
  const id = last;
  return new Promise(resolve => {
    waiting.set(id, {resolve});
    worker.postMessage({id, columns: columns(), ...question});
  });
}

// Ends what still runs: its answer is not wanted any more.
function interrupt() {
  if (!waiting.size)
    return;
  worker.terminate();
  startWorker();
}

function say(text) {
  find('state').textContent = text;
}

// --- what is shown

// How many characters fit into a line of the result.
function columns() {
  const shown = [...document.querySelectorAll('pre')].find(pre => pre.clientWidth) || document.body;
  const probe = document.createElement('span');
  probe.className = 'probe';
  probe.textContent = '0'.repeat(50);
  document.body.append(probe);
  const width = probe.getBoundingClientRect().width / 50;
  probe.remove();
  return Math.max(40, Math.min(120, Math.floor((shown.clientWidth - 24) / width)));
}

function showState() {
  for (const [member, id] of Object.entries(CONTROLS)) {
    if (find(id).value !== state[member])
      find(id).value = state[member];
  }
  select(VIEWS.map(view => [`to-${view}`, view]), `to-${state.view}`);
  select(Object.entries(RESULTS).map(([shown, panel]) => [`to-${shown}`, panel]), `to-${state.shown}`);
  for (const id of ['text', 'text-label', 'pad', 'swizzle', 'undo'])
    find(id).hidden = Boolean(state.file);
  find('code-bar').hidden = !state.file;
  find('code-name').textContent = `${state.file}, ${Math.floor(state.code.replace(/=/g, '').length * 3 / 4).toLocaleString('en')} bytes`;
  find('undo').disabled = !before.length;
  find('command').textContent = ['smembank', ...commandWords(state)].map(quoteWord).join(' ');
}

function select(tabs, chosen) {
  for (const [tab, panel] of tabs) {
    find(tab).setAttribute('aria-selected', String(tab === chosen));
    find(tab).tabIndex = tab === chosen ? 0 : -1;
    find(panel).hidden = tab !== chosen;
  }
}

// The answer to the state, unless it changes meanwhile.
async function answer() {
  interrupt();
  showState();
  if (state.view === 'kernel' && state.file && !state.code) {
    say(`error: ${state.file} is too large for a link: open the file again.`);
    return;
  }
  say('Counting…');
  const began = performance.now();
  const words = commandWords(state);
  const files = state.view === 'kernel' ? kernelFiles(state) : {};
  const picture = state.view === 'kernel' && state.shown === 'explain';
  const got = await ask({words: picture ? [...words, '--svg=map.svg'] : words, files, wanted: ['report.html', 'map.svg']});
  if (!got)
    return;
  show(got);
  const milliseconds = Math.round(performance.now() - began);
  say(got.status <= 1 ? `Counted in ${milliseconds} ms.` : got.err.trim());
}

function show(got) {
  const failed = got.status > 1 || got.status < 0;
  const text = failed ? got.err : got.out;
  document.body.classList.toggle('failed', failed);
  if (state.view === 'layout')
    find('layout-out').textContent = text;
  else if (state.view === 'course')
    showLesson(text);
  else if (state.shown === 'report')
    find('report-frame').srcdoc = got.files['report.html'] || '';
  else
    find(`${state.shown}-out`).textContent = text;
  find('map').replaceChildren();
  if (got.files['map.svg'])
    find('map').append(document.importNode(new DOMParser().parseFromString(got.files['map.svg'], 'image/svg+xml').documentElement, true));
}

// --- the course

// The text of one step, of what the program writes before and after it.
function onlyStep(text) {
  const [, step] = text.match(/^(Step \d+ of [^]*?)(?:\n+Step \d+ of|\n+Enter for the next step|$(?![^]))/m) || [null, text];
  return step;
}

// A step up to its question.
function showLesson(all) {
  const text = onlyStep(all);
  const end = text.search(/^(Hint|Answer):/m);
  find('lesson-out').textContent = end > 0 ? text.slice(0, end) : text;
  find('reply').hidden = end < 0;
  find('answer').value = '';
  const commands = [...text.matchAll(/^ *(?:\w+ +)?\$ smembank analyze --kernel (\w+)(?: --shape (\w+))?/gm)];
  const kernels = new Map(commands.map(([, kernel, shape]) => [`${kernel} ${shape || ''}`.trim(), [kernel, shape || '']]));
  find('lesson-links').replaceChildren(...[...kernels].map(([name, words]) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = `Open ${name}`;
    button.onclick = () => openExample(...words);
    return button;
  }));
}

async function replyToLesson(event) {
  event.preventDefault();
  const got = await ask({words: ['learn', state.step], input: `${find('answer').value}\n`});
  if (got)
    find('lesson-out').textContent = onlyStep(got.out || got.err);
}

// --- examples

// A group of the catalogue of kernels (data/kernels/catalog.ini) as an object.
function readGroup(catalog, name) {
  const group = catalog.split(/^\[/m).find(text => text.startsWith(`${name}]`)) || '';
  return Object.fromEntries(group.split('\n').filter(line => line.includes('=')).map(line => line.split(/=(.*)/s).slice(0, 2)));
}

async function openExample(kernel, shape) {
  const named = ['analyze', '--kernel', kernel, ...(shape ? ['--shape', shape] : []), '--format=json'];
  const got = await ask({words: named, wanted: ['/data/kernels/catalog.ini']});
  if (!got || got.status > 1)
    return;
  const found = JSON.parse(got.out).kernel;
  const group = readGroup(got.files['/data/kernels/catalog.ini'], `${kernel} ${found.shape}`);
  const path = `/data/kernels/${group.file}`;
  const text = await ask({words: ['list', 'archs'], wanted: [path]});
  if (!text)
    return;
  const list = value => (value || '').split(';').join(' ');
  change({...NO_FILE, view: 'kernel', text: text.files[path], block: group.block, grid: group.grid || '', entry: group.entry || '',
    args: list(group.args), defines: list(group.defines), dynamic: group['dynamic-bytes'] || '', more: '', line: '', op: '', warp: ''});
}

async function fillLists() {
  const [kernels, archs, steps] = await Promise.all([
    ask({words: ['list', 'kernels', '--format=json']}), ask({words: ['list', 'archs', '--format=json']}), ask({words: ['learn', '--list']})]);
  if (!kernels || !archs || !steps)
    return;
  const option = (value, label) => new Option(label, value);
  find('example').append(...JSON.parse(kernels.out).kernels.map(kernel =>
    option(`${kernel.name} ${kernel.shape}`, `${kernel.name}, ${kernel.shape}: ${kernel.shows}`)));
  const names = JSON.parse(archs.out).archs.map(arch => arch.name);
  find('arch').append(...names.map(name => option(name, name)));
  find('layout-arch').append(...names.map(name => option(name, name)));
  find('step').append(...steps.out.trim().split('\n').map(line => option(line.trim().split(/\s+/)[0], line.trim())));
  find('layout-example').append(option('', 'your own layout'), ...LAYOUTS.map(([name], index) => option(String(index), name)));
}

async function fix(kind) {
  say('Searching…');
  const got = await ask({words: ['advise', ...launchWords(state), `--only=${kind}`, '--out=fixed.cu'], files: kernelFiles(state),
    wanted: ['fixed.cu']});
  if (!got)
    return;
  if (!got.files['fixed.cu']) {
    find('advise-out').textContent = got.out || got.err;
    say(got.err.trim() || 'No such layout is better: see Advise.');
    return;
  }
  before.push(state.text);
  change({text: got.files['fixed.cu']});
}

// --- files

const NO_FILE = {file: '', code: ''};
const OTHER_LAUNCH = {entry: '', args: '', defines: '', dynamic: '', more: '', line: '', op: '', warp: ''};

async function openFile(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const text = textOf(bytes);
  if (text !== null)
    await change({...NO_FILE, ...OTHER_LAUNCH, view: 'kernel', text});
  else
    await change({...OTHER_LAUNCH, view: 'kernel', file: file.name, code: encodeBytes(bytes)});
}

// --- what a reader does

function change(members) {
  state = {...state, ...members};
  history.replaceState(null, '', writeState(state));
  return answer();
}

let typing;
function noteTyping(member, control) {
  clearTimeout(typing);
  typing = setTimeout(() => change({[member]: control.value}), TYPING_MS);
}

// What is in the controls, at once.
function submit(event) {
  event.preventDefault();
  clearTimeout(typing);
  change(Object.fromEntries(Object.entries(CONTROLS).map(([member, id]) => [member, find(id).value])));
}

// Arrow keys go from tab to tab, as is usual.
function moveAmongTabs(event) {
  const tabs = [...event.currentTarget.querySelectorAll('[role=tab]')];
  const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
  if (!step)
    return;
  const next = tabs[(tabs.indexOf(document.activeElement) + step + tabs.length) % tabs.length];
  next.focus();
  next.click();
}

async function copy(text, button) {
  await navigator.clipboard.writeText(text);
  const label = button.textContent;
  button.textContent = 'Copied';
  setTimeout(() => { button.textContent = label; }, 1500);
}

function listen() {
  for (const [member, id] of Object.entries(CONTROLS))
    find(id).addEventListener('input', () => noteTyping(member, find(id)));
  for (const view of VIEWS)
    find(`to-${view}`).onclick = () => change({view});
  for (const shown of Object.keys(RESULTS))
    find(`to-${shown}`).onclick = () => change({shown});
  for (const form of ['launch', 'which', 'ask-layout', 'lesson'])
    find(form).addEventListener('submit', submit);
  find('text').addEventListener('keydown', event => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey))
      submit(event);
  });
  for (const list of document.querySelectorAll('[role=tablist]'))
    list.addEventListener('keydown', moveAmongTabs);
  find('reply').addEventListener('submit', replyToLesson);
  find('next').onclick = () => change({step: String(Math.min(Number(state.step) + 1, find('step').options.length))});
  find('example').onchange = () => find('example').value && openExample(...find('example').value.split(' '));
  find('layout-example').onchange = () => {
    const example = LAYOUTS[find('layout-example').value];
    if (example)
      change({layout: example[1], accesses: example[2]});
  };
  find('open').onchange = () => find('open').files.length && openFile(find('open').files[0]);
  find('close').onclick = () => {
    find('open').value = '';
    change(NO_FILE);
  };
  document.addEventListener('dragover', event => event.preventDefault());
  document.addEventListener('drop', event => {
    event.preventDefault();
    if (event.dataTransfer.files.length)
      openFile(event.dataTransfer.files[0]);
    else if (event.target === find('text'))
      find('text').setRangeText(event.dataTransfer.getData('text'));
  });
  find('pad').onclick = () => fix('pad');
  find('swizzle').onclick = () => fix('swizzle');
  find('undo').onclick = () => change({text: before.pop()});
  find('copy-command').onclick = event => copy(find('command').textContent, event.target);
  find('copy-link').onclick = event => copy(location.href, event.target);
  window.addEventListener('hashchange', () => {
    state = readState(location.hash);
    answer();
  });
}

startWorker();
listen();
fillLists().then(answer);
if ('serviceWorker' in navigator)
  navigator.serviceWorker.register('offline.js').catch(() => undefined);
