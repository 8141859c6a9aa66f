// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Sessions of a document that can be run where they are shown: a button opens the files and the commands of one, to be changed, and shows
// what the program of the page in try/ answers. The fragment of the address has the session that ran last, and what was changed in it:
// #run=2&commands=… and, of a file, its name and text.
'use strict';

const COLUMNS = 100;
let program; // a promise of run(question) as of try/engine.js

function loadScript(address) {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = address;
    script.addEventListener('load', resolve);
    script.addEventListener('error', () => reject(new Error(`${address} cannot be loaded`)));
    document.head.append(script);
  });
}

// The program, in a thread of its own.
async function startProgram() {
  if (location.protocol === 'file:')
    throw new Error('a browser runs the program only in a page from a server, such as: python3 -m http.server -d site');
  await loadScript('try/state.js');
  const worker = new Worker('try/worker.js');
  const waiting = new Map();
  let fail, last = 0;
  const failure = new Promise((resolve, reject) => { fail = reject; });
  failure.catch(() => undefined);
  worker.onerror = () => fail(new Error('the program cannot be loaded'));
  worker.onmessage = ({data}) => {
    if (data.failed)
      fail(new Error(data.failed));
    else if (waiting.has(data.id))
      waiting.get(data.id)(data);
  };
  return question => Promise.race([failure, new Promise(resolve => {
    last += 1;
    waiting.set(last, resolve);
    worker.postMessage({id: last, columns: COLUMNS, ...question});
  })]);
}

function addField(form, label, text) {
  const field = document.createElement('textarea');
  const name = document.createElement('label');
  name.textContent = label;
  field.value = text;
  field.rows = Math.min(24, text.split('\n').length);
  field.spellcheck = false;
  field.wrap = 'off';
  name.append(field);
  form.append(name);
  return field;
}

// What the commands answer, each below itself.
async function runCommands(commands, files) {
  program = program || startProgram();
  const run = await program;
  let text = '';
  for (const command of commands.split('\n').map(line => line.trim()).filter(Boolean)) {
    const words = splitWords(command);
    const got = words[0] === 'smembank' ? await run({words: words.slice(1), files}) : {out: '', err: 'expected a command line of smembank\n'};
    text += `$ ${command}\n${got.out}${got.err}`;
  }
  return text;
}

// The form of a session, which is made once. @given: what was changed in it, of an address.
function openSession(pre, number, given) {
  if (pre.liveForm)
    return pre.liveForm;
  const first = JSON.parse(pre.dataset.live);
  const form = document.createElement('form');
  const changed = name => (given && given.has(name) ? given.get(name) : null);
  const files = Object.entries(first.files).map(([name, text]) => [name, text, addField(form, name, changed(name) ?? text)]);
  const commands = addField(form, 'Commands', changed('commands') ?? first.commands.join('\n'));
  const button = document.createElement('button');
  const answer = document.createElement('pre');
  form.className = 'live';
  button.textContent = 'Run';
  answer.tabIndex = 0;
  answer.setAttribute('role', 'status');
  form.append(button, answer);
  form.addEventListener('submit', async event => {
    event.preventDefault();
    const now = new URLSearchParams({run: number});
    if (commands.value !== first.commands.join('\n'))
      now.set('commands', commands.value);
    for (const [name, text, field] of files) {
      if (field.value !== text)
        now.set(name, field.value);
    }
    history.replaceState(null, '', `#${now}`);
    answer.textContent = 'Counting…';
    try {
      answer.textContent = await runCommands(commands.value, Object.fromEntries(files.map(([name, , field]) => [name, field.value])));
    } catch (error) {
      answer.textContent = `It cannot be run: ${error.message}.`;
    }
  });
  pre.after(form);
  pre.liveForm = form;
  pre.liveButton.hidden = true;
  return form;
}

const live = [...document.querySelectorAll('pre[data-live]')];
live.forEach((pre, index) => {
  const button = document.createElement('button');
  button.className = 'run';
  button.type = 'button';
  button.textContent = 'Run here';
  button.addEventListener('click', () => openSession(pre, index + 1).requestSubmit());
  pre.after(button);
  pre.liveButton = button;
});

const linked = new URLSearchParams(location.hash.slice(1));
const asked = live[Number(linked.get('run')) - 1];
if (asked) {
  const form = openSession(asked, Number(linked.get('run')), linked);
  asked.scrollIntoView();
  form.requestSubmit();
}
