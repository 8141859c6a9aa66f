// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a reader can do with the page: step through the passes of a map, choose a warp, and see which lanes
// and banks belong together. All that is shown is in the page already; this only marks it.
(function () {
  'use strict';

  const WHOLE = -1;
  const MOST_TITLES = 4;

  // The data of the report that an article is part of: of a page of several launches, its launch's.
  function findData(article) {
    const launch = article.closest('.launch');
    return JSON.parse(document.getElementById((launch ? launch.id + '-' : '') + 'data').textContent);
  }

  function numbers(element, name) {
    const text = element.getAttribute('data-' + name);
    return text ? text.split(' ').map(Number) : [];
  }

  function label(lanes) {
    return lanes.length > 1 ? lanes[0] + '+' : String(lanes[0]);
  }

  // One figure: its words with the lanes that ask for them and the pass of each lane.
  function readMap(figure, entry) {
    const words = Array.from(figure.querySelectorAll('.word'), (element) => ({
      element,
      bank: Number(element.dataset.bank),
      lanes: numbers(element, 'lanes'),
      passes: numbers(element, 'passes'),
      text: element.querySelector('text'),
      title: element.querySelector('title').textContent,
    }));
    const passOf = new Map();
    words.forEach((word) => word.lanes.forEach((lane, i) => passOf.set(lane, word.passes[i])));
    return { figure, entry, words, passOf, columns: Array.from(figure.querySelectorAll('.head, .count')),
      caption: figure.querySelector('.caption'), pass: 0 };
  }

  // Of many things the first, and how many more there are.
  function describe(titles) {
    const more = titles.length > MOST_TITLES ? '; and ' + (titles.length - MOST_TITLES) + ' more words' : '';
    return titles.slice(0, MOST_TITLES).join('; ') + more;
  }

  function stateOf(passes, pass) {
    if (pass === WHOLE) return '';
    if (passes.includes(pass)) return 'now';
    return passes.some((other) => other > pass) ? 'wait' : 'done';
  }

  function setState(element, state) {
    ['now', 'wait', 'done'].forEach((name) => element.classList.toggle(name, name === state));
  }

  function paint(map, pass) {
    map.words.forEach((word) => {
      const state = stateOf(word.passes, pass);
      const shown = state === 'now' ? word.lanes.filter((lane, i) => word.passes[i] === pass) : word.lanes;
      setState(word.element, state);
      word.text.textContent = label(shown);
    });
    map.caption.textContent = pass === WHOLE ? 'Whole request' : map.entry.passes[pass];
  }

  function setUp(article) {
    const number = Number(article.dataset.access);
    const entries = findData(article).maps.filter((entry) => entry.access === number);
    const figures = Array.from(article.querySelectorAll('.map'));
    const maps = figures.map((figure, i) => readMap(figure, entries[i]));
    const select = article.querySelector('.warps');
    const back = article.querySelector('.back');
    const next = article.querySelector('.next');
    const whole = article.querySelector('.whole');
    const lanes = Array.from(article.querySelectorAll('.lanes button'));
    const lit = article.querySelector('p.lit');
    let map = maps[0];

    function light(chosenLanes, chosenBanks, isWord, text) {
      lanes.forEach((button, lane) => button.classList.toggle('lit', chosenLanes.has(lane)));
      map.words.forEach((word) => word.element.classList.toggle('lit', isWord(word)));
      map.columns.forEach((column) =>
        column.classList.toggle('lit', chosenBanks.has(Number(column.dataset.bank))));
      lit.textContent = text;
    }

    function lightWords(isWord, chosenLanes, chosenBanks) {
      const words = map.words.filter(isWord);
      light(chosenLanes || new Set(words.flatMap((word) => word.lanes)),
        chosenBanks || new Set(words.map((word) => word.bank)), isWord,
        describe(words.map((word) => word.title)));
    }

    function lightLane(lane) {
      lightWords((word) => word.lanes.includes(lane), new Set([lane]));
    }

    function darken() {
      light(new Set(), new Set(), () => false, '');
    }

    // The pass of the chosen map, and everything that tells of it.
    function show(pass) {
      const last = map.entry.passes.length - 1;
      map.pass = Math.max(WHOLE, Math.min(pass, last));
      paint(map, map.pass);
      back.setAttribute('aria-disabled', String(map.pass === 0));
      next.setAttribute('aria-disabled', String(map.pass === last));
      whole.setAttribute('aria-pressed', String(map.pass === WHOLE));
      lanes.forEach((button, lane) => {
        const asks = map.passOf.has(lane);
        button.disabled = !asks;
        button.className = asks ? 'g' + Math.floor(lane / map.entry.group_lanes) % 4 : '';
        setState(button, asks ? stateOf([map.passOf.get(lane)], map.pass) : '');
      });
    }

    function step(by) {
      show(map.pass === WHOLE ? (by > 0 ? 0 : map.entry.passes.length - 1)
        : Math.max(0, map.pass + by));
    }

    function choose(warp) {
      darken();
      maps.forEach((other) => { other.figure.hidden = other.figure.dataset.warp !== warp; });
      map = maps.find((other) => !other.figure.hidden);
      const first = lanes.findIndex((button, lane) => map.passOf.has(lane));
      lanes.forEach((button, lane) => { button.tabIndex = lane === first ? 0 : -1; });
      show(0);
    }

    function stepByKey(event) {
      const keys = { ArrowRight: () => step(1), ArrowLeft: () => step(-1), Home: () => show(0),
        End: () => show(map.entry.passes.length - 1), Escape: darken };
      if (!keys[event.key] || event.ctrlKey || event.altKey || event.metaKey) return;
      keys[event.key]();
      event.preventDefault();
    }

    function moveByKey(event) {
      const enabled = lanes.filter((button) => !button.disabled);
      const at = enabled.indexOf(event.target);
      const keys = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: enabled.length - 1 };
      if (event.key === 'Escape') darken();
      if (!(event.key in keys) || !enabled[keys[event.key]]) return;
      event.target.tabIndex = -1;
      enabled[keys[event.key]].tabIndex = 0;
      enabled[keys[event.key]].focus();
      event.preventDefault();
    }

    maps.forEach((other) => {
      const stage = other.figure.querySelector('.stage');
      stage.addEventListener('keydown', stepByKey);
      stage.addEventListener('pointerleave', darken);
      other.words.forEach((word) => word.element.addEventListener('pointerenter',
        () => lightWords((candidate) => candidate === word)));
      other.columns.forEach((column) => column.addEventListener('pointerenter', () =>
        lightWords((word) => word.bank === Number(column.dataset.bank), null,
          new Set([Number(column.dataset.bank)]))));
    });
    lanes.forEach((button, lane) => {
      button.addEventListener('pointerenter', () => lightLane(lane));
      button.addEventListener('focus', () => lightLane(lane));
      button.addEventListener('click', () => lightLane(lane));
      button.addEventListener('blur', darken);
    });
    article.querySelector('.lanes').addEventListener('pointerleave', darken);
    article.querySelector('.lanes').addEventListener('keydown', moveByKey);
    article.querySelector('.steps').addEventListener('keydown', stepByKey);
    back.addEventListener('click', () => step(-1));
    next.addEventListener('click', () => step(1));
    whole.addEventListener('click', () => show(map.pass === WHOLE ? 0 : WHOLE));
    select.addEventListener('change', () => choose(select.value));
    choose(select.value);
    window.addEventListener('beforeprint', () => maps.forEach((other) => paint(other, 0)));
    window.addEventListener('afterprint', () => maps.forEach((other) => paint(other, other.pass)));
  }

  // Lines of the source that no count is in are hidden until they are asked for: by their button, or by a link to one of them.
  function setUpFolds() {
    document.querySelectorAll('.fold').forEach((fold) => {
      const rest = fold.nextElementSibling;
      const button = fold.querySelector('button');
      const set = (open) => {
        rest.hidden = !open;
        button.setAttribute('aria-expanded', String(open));
      };
      button.addEventListener('click', () => set(rest.hidden));
      rest.addEventListener('reveal', () => set(true));
      set(false);
    });
    const reveal = () => {
      const line = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
      const rest = line && line.closest('.rest');
      if (!rest || !rest.hidden) return;
      rest.dispatchEvent(new Event('reveal'));
      line.scrollIntoView();
    };
    window.addEventListener('hashchange', reveal);
    reveal();
  }

  // The source is shown from a little above its first line that conflicts.
  function showFirstConflict() {
    const box = document.querySelector('.source-box');
    const line = box && box.querySelector('.conflicts');
    if (line && line.offsetTop > box.clientHeight - 2 * line.offsetHeight) {
      box.scrollTop = line.offsetTop - box.clientHeight / 2;
    }
  }

  document.documentElement.classList.add('js');
  setUpFolds();
  showFirstConflict();
  document.querySelectorAll('.access').forEach((article) => {
    if (article.querySelector('.map')) setUp(article);
  });
})();
