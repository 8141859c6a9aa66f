// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// web-live.js SITE BROWSER [SCREENSHOTS]: the sessions of the documents in a headless Chromium (doc/site/live.js): each says what the document
// says, can be changed, and is restored by a link.
'use strict';
const assert = require('assert');
const fs = require('fs');
const path = require('path');
const {chromium} = require('playwright-core');
const {serve} = require('./web-serve.js');

const [site, executablePath, screenshots] = process.argv.slice(2);
const DONE = form => !/^(Counting…)?$/.test(form.querySelector('pre').textContent);

// Whether a text is what the session of a document shows, where a line "..." stands for any lines.
function resembles(shown, text) {
  const literal = part => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${shown.split(/^\.\.\.\n/m).map(literal).join('(?:.*\\n)*?')}$`).test(text);
}

// What a document shows of a command, with it.
function shownOf(session, command) {
  const part = session.split(/^\$ /m).find(text => text.startsWith(`${command}\n`));
  return `$ ${part.replace(/\n*$/, '\n')}`;
}

async function runAll(page, url, name) {
  await page.goto(`${url}${name}`);
  const sessions = await page.$$('pre[data-live]');
  for (const session of sessions) {
    const {commands} = JSON.parse(await session.getAttribute('data-live'));
    const shown = await session.$eval('code', code => code.textContent);
    await (await session.evaluateHandle(pre => pre.liveButton)).click();
    const form = await session.evaluateHandle(pre => pre.liveForm);
    await page.waitForFunction(DONE, form, {timeout: 60000});
    const text = await form.$eval('pre', pre => pre.textContent);
    const wanted = commands.map(command => shownOf(shown, command)).join('');
    assert.ok(resembles(wanted, text), `${name}: expected\n${wanted}\nnot\n${text}`);
  }
  return sessions.length;
}

async function main() {
  const server = await serve(site);
  const url = `http://127.0.0.1:${server.address().port}/`;
  const browser = await chromium.launch({executablePath, args: ['--no-sandbox']});
  const page = await browser.newPage();
  const mistakes = [];
  page.on('pageerror', error => mistakes.push(error.message));
  let n = 0;
  for (const name of fs.readdirSync(site).filter(file => file.endsWith('.html'))) {
    if (fs.readFileSync(path.join(site, name), 'utf8').includes('<pre data-live='))
      n += await runAll(page, url, name);
  }
  assert.ok(n >= 25, `${n} sessions`);

  // What is changed is counted, and is in the link.
  await page.goto(`${url}faq.html`);
  const pre = await page.waitForSelector('pre[data-live*="square.cu"]');
  await (await pre.evaluateHandle(session => session.liveButton)).click();
  const form = await pre.evaluateHandle(session => session.liveForm);
  await page.waitForFunction(DONE, form);
  const field = await form.$('textarea');
  await field.fill((await field.inputValue()).replace('s[16][16]', 's[16][18]'));
  await (await form.$('button:not(.copy)')).click();
  await page.waitForFunction(shown => /s\[x\]\[y\] +load +8 +8 +8 +0 +1-way/.test(shown.querySelector('pre').textContent), form);
  const link = page.url();
  assert.match(link, /#run=\d+&square.cu=/);
  await page.goto('about:blank');
  await page.goto(link);
  await page.waitForFunction(() => /s\[x\]\[y\] +load +8 +8 +8 +0 +1-way/.test(document.querySelector('form.live pre').textContent));
  for (const width of [1280, 360]) {
    await page.setViewportSize({width, height: 800});
    const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.strictEqual(over, 0, `${over} pixels too wide for ${width}`);
    if (screenshots)
      await page.screenshot({path: path.join(screenshots, `live-${width}.png`)});
  }
  assert.deepStrictEqual(mistakes, [], 'no error is in the console');
  await browser.close();
  server.close();
  console.log(`${n} sessions of documents run`);
}

main().catch(error => {
  console.log(error);
  process.exit(1);
});
