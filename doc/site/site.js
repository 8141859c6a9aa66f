// The site without this script has all texts and links. The script adds the search, copying of commands, the menu of a phone, and the
// choice of light or dark, which it remembers.
'use strict';

const root = document.documentElement;
root.classList.add('script');

// --- light or dark

function readTheme() {
  try { return localStorage.getItem('theme'); } catch { return null; }
}

function keepTheme(theme) {
  root.dataset.theme = theme;
  try { localStorage.setItem('theme', theme); } catch { /* for this page only */ }
}

if (readTheme()) root.dataset.theme = readTheme();
document.getElementById('theme').addEventListener('click', () => {
  const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  keepTheme((root.dataset.theme || system) === 'dark' ? 'light' : 'dark');
});

// --- the menu of a phone

const menu = document.getElementById('menu');
menu.addEventListener('click', () => {
  const open = document.getElementById('pages').classList.toggle('open');
  menu.setAttribute('aria-expanded', open);
});

// --- copying: of a session the commands, without their prompts

for (const pre of document.querySelectorAll('main pre')) {
  const commands = [...pre.querySelectorAll('.command')].map(line => line.textContent.replace(/^\$ /, ''));
  const text = commands.length ? commands.filter(line => !line.startsWith('cat ')).join('\n') : pre.textContent;
  if (!text || !navigator.clipboard) continue;
  const button = document.createElement('button');
  button.className = 'copy';
  button.type = 'button';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
    setTimeout(() => { button.textContent = 'Copy'; }, 1500);
  });
  pre.append(button);
}

// --- search: sections that have all words, those first that have them in their title

const search = document.getElementById('search');
const results = document.getElementById('results');
const MAX_RESULTS = 20;

// The index is a script, because a page that is opened from a file may not fetch another file.
function loadIndex() {
  loadIndex.once = loadIndex.once || new Promise(resolve => {
    const script = document.createElement('script');
    script.src = 'search.js';
    script.addEventListener('load', () => resolve(smembankSections));
    document.head.append(script);
  });
  return loadIndex.once;
}

function rank(section, words) {
  const [, page, title, text] = section;
  const heading = `${page} ${title}`.toLowerCase();
  let sum = 0;
  for (const word of words) {
    if (heading.includes(word)) sum += 10;
    else if (text.toLowerCase().includes(word)) sum += 1;
    else return 0;
  }
  return sum;
}

function excerpt(text, word) {
  const at = Math.max(0, text.toLowerCase().indexOf(word) - 40);
  return (at ? '…' : '') + text.slice(at, at + 140) + (at + 140 < text.length ? '…' : '');
}

async function show() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const sections = words.length ? await loadIndex() : [];
  const found = sections.map(section => [rank(section, words), section]).filter(([sum]) => sum);
  found.sort((a, b) => b[0] - a[0]);
  results.replaceChildren(...found.slice(0, MAX_RESULTS).map(([, [address, page, title, text]]) => {
    const item = document.createElement('li');
    const link = document.createElement('a');
    const place = document.createElement('small');
    link.href = address;
    link.textContent = title;
    place.textContent = `${page}: ${excerpt(text, words[0])}`;
    link.append(place);
    item.append(link);
    return item;
  }));
  if (words.length && !found.length) {
    const nothing = document.createElement('p');
    nothing.textContent = 'Nothing found.';
    results.append(nothing);
  }
  results.hidden = !words.length;
}

search.addEventListener('input', show);
search.addEventListener('focus', show);
results.addEventListener('click', () => { results.hidden = true; });
document.addEventListener('keydown', event => {
  const links = [...results.querySelectorAll('a')];
  const at = links.indexOf(document.activeElement);
  if (event.key === '/' && document.activeElement !== search) {
    event.preventDefault();
    search.focus();
  } else if (event.key === 'Escape') {
    results.hidden = true;
  } else if (!results.hidden && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
    event.preventDefault();
    const next = at + (event.key === 'ArrowDown' ? 1 : -1);
    (links[next] || search).focus();
  } else if (!results.hidden && event.key === 'Enter' && document.activeElement === search && links.length) {
    links[0].click();
  }
});
document.addEventListener('click', event => {
  if (!event.target.closest('.search')) results.hidden = true;
});
