// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// web-page.js SITE BROWSER CUBIN [SCREENSHOTS]: the page of `make web` in a headless Chromium: what each control does, links that restore a state,
// the keyboard, narrow screens, light and dark, no network, and that nothing is sent.
'use strict';
const assert = require('assert');
const fs = require('fs');
const path = require('path');
const {chromium} = require('playwright-core');
const {serve} = require('./web-serve.js');

const [site, executablePath, cubin, screenshots] = process.argv.slice(2);

// Until the page has answered what it was asked.
async function settle(page) {
  await page.waitForFunction(() => /^Counted in|^smembank|error:/.test(document.getElementById('state').textContent), null, {timeout: 60000});
}

async function shoot(page, name) {
  if (screenshots)
    await page.screenshot({path: path.join(screenshots, `${name}.png`), fullPage: true});
}

async function report(page) {
  const frame = await (await page.waitForSelector('#report-frame')).contentFrame();
  await frame.waitForSelector('h1');
  return frame;
}

async function open(page, url) {
  await page.goto('about:blank');
  await page.goto(url);
  await settle(page);
}

async function press(page, selector) {
  await page.evaluate(() => { document.getElementById('state').textContent = ''; });
  await page.click(selector);
  await settle(page);
}

const tests = {
  async 'a report, with its bank map and script'(page, url) {
    await open(page, url);
    const frame = await report(page);
    assert.match(await frame.textContent('body'), /15872 of 16896 wavefronts \(94%\) are in excess/);
    assert.ok(await frame.$('svg.bank-map'));
    assert.ok(await frame.evaluate(() => document.documentElement.classList.contains('js')), 'the script of the report runs');
  },
  async 'an explanation, of the line that is asked for'(page, url) {
    await press(page, '#to-explain');
    assert.match(await page.textContent('#explain-out'), /gcd\(32, 32\) = 32: all lanes\s+fall\s+into\s+the\s+same\s+bank/);
    assert.ok(await page.$('#map svg.bank-map'));
    await page.fill('#line', '5');
    await press(page, '#which button');
    assert.match(await page.textContent('#explain-out'), /kernel.cu:5:5: store of tile/);
  },
  async 'advice, and both ways of taking it'(page, url) {
    await press(page, '#to-advise');
    assert.match(await page.textContent('#advise-out'), /Change line 2 to \[32 \+ 1\]: 16896 -> 1024 wavefronts/);
    await press(page, '#pad');
    assert.match(await page.inputValue('#text'), /tile\[32\]\[32 \+ 1\]/);
    await press(page, '#undo');
    assert.match(await page.inputValue('#text'), /tile\[32\]\[32\];/);
    await press(page, '#swizzle');
    assert.match(await page.inputValue('#text'), /threadIdx.x \^ \(threadIdx.y \+ i\)/);
    await press(page, '#to-text');
    assert.match(await page.textContent('#text-out'), /No bank conflicts: 1024 wavefronts/);
  },
  async 'a link restores a state'(page, url) {
    const link = page.url();
    assert.match(link, /#.*shown=text/);
    const kernel = await page.inputValue('#text');
    await open(page, link);
    assert.strictEqual(await page.inputValue('#text'), kernel);
    assert.match(await page.textContent('#text-out'), /No bank conflicts: 1024 wavefronts/);
    assert.strictEqual(await page.textContent('#command'),
      'smembank analyze kernel.cu --block=32,8 --grid=4,4 --arch=sm_90 --arg=n=128');
  },
  async 'a mistake has its place'(page, url) {
    await page.evaluate(() => { document.getElementById('state').textContent = ''; });
    await page.fill('#text', '__global__ void k(int *out) {\n  out[0] = 1\n}\n');
    await page.press('#text', 'Control+Enter');
    await settle(page);
    assert.match(await page.textContent('#state'), /^kernel.cu:3:1: error: expected ';', not '}'/);
    assert.ok(await page.$('body.failed'));
  },
  async 'PTX'(page, url) {
    await page.fill('#args', '');
    await page.fill('#grid', '1');
    await page.evaluate(() => { document.getElementById('state').textContent = ''; });
    await page.fill('#text', '.version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() {\n.shared .b32 a[1024];\n.reg .b32 %r<4>;\n' +
      'mov.u32 %r1, %tid.x;\nshl.b32 %r1, %r1, 7;\nmov.u32 %r2, a;\nadd.s32 %r2, %r2, %r1;\nst.shared.u32 [%r2], %r1;\nret;\n}\n');
    await page.fill('#block', '32');
    await page.press('#block', 'Enter');
    await settle(page);
    assert.match(await page.textContent('#text-out'), /counted: PTX[^]*31 of 32 wavefronts/);
  },
  async 'machine code: opened, in a link, dropped, closed'(page, url) {
    await open(page, `${url}#shown=text`);
    await page.evaluate(() => { document.getElementById('state').textContent = ''; });
    await page.setInputFiles('#open', cubin);
    await settle(page);
    assert.match(await page.textContent('#state'), /has several kernels: 'transpose_double'/);
    assert.ok(!(await page.isVisible('#text')) && !(await page.isVisible('#pad')));
    assert.match(await page.textContent('#code-name'), /^transpose.sm_90.cubin, [\d,]+ bytes$/);
    await page.evaluate(() => { document.getElementById('state').textContent = ''; });
    await page.fill('#entry', 'transpose<0>(float*, float const*, int)');
    await page.fill('#args', '2=128');
    await page.press('#args', 'Enter');
    await settle(page);
    assert.match(await page.textContent('#text-out'), /15872 of 16896 wavefronts/);
    const link = page.url(), counted = await page.textContent('#text-out');
    await open(page, link);
    assert.strictEqual(await page.textContent('#text-out'), counted);
    await press(page, '#close');
    assert.ok(await page.isVisible('#text'));
    await page.evaluate(([name, code]) => {
      document.getElementById('state').textContent = '';
      const moved = new DataTransfer();
      moved.items.add(new File([decodeBytes(code)], name));
      document.body.dispatchEvent(new DragEvent('drop', {dataTransfer: moved, bubbles: true, cancelable: true}));
    }, ['-dropped.cubin', fs.readFileSync(cubin).toString('base64')]);
    await settle(page);
    assert.match(await page.textContent('#state'), /has several kernels/);
    await shoot(page, 'machine-code');
    await press(page, '#close');
  },
  async 'a text that is opened'(page, url) {
    await page.evaluate(() => { document.getElementById('state').textContent = ''; });
    await page.setInputFiles('#open', {name: 'x.cu', mimeType: 'text/plain', buffer: Buffer.from('__global__ void k() { __shared__ int s[64]; s[threadIdx.x * 2] = 1; }')});
    await settle(page);
    assert.match(await page.inputValue('#text'), /__global__ void k/);
    assert.strictEqual(await page.evaluate(() => state.file), '');
  },
  async 'examples'(page, url) {
    await page.evaluate(() => { document.getElementById('state').textContent = ''; });
    await page.selectOption('#example', 'transposeSmemDyn 16x16');
    await settle(page);
    assert.match(await page.inputValue('#text'), /__global__ void transposeSmemDyn/);
    assert.match(await page.textContent('#text-out'), /896 of 1152 wavefronts/);
  },
  async 'layouts'(page, url) {
    await press(page, '#to-layout');
    assert.match(await page.textContent('#layout-out'), /No bank conflicts/);
    await page.fill('#layout-text', '(32,32):(32,1)');
    await page.fill('#accesses', 'row\ncolumn');
    await press(page, '#ask-layout button');
    assert.match(await page.textContent('#layout-out'), /31 of 33 wavefronts/);
    await shoot(page, 'layout');
  },
  async 'the course: a question, an answer, a kernel to open'(page, url) {
    await press(page, '#to-course');
    await page.evaluate(() => { document.getElementById('state').textContent = ''; });
    await page.selectOption('#step', '2');
    await settle(page);
    assert.match(await page.textContent('#lesson-out'), /Question: How many wavefronts/);
    assert.doesNotMatch(await page.textContent('#lesson-out'), /Answer:/);
    await page.fill('#answer', '16');
    await page.press('#answer', 'Enter');
    await page.waitForFunction(() => /Not quite: it is 32/.test(document.getElementById('lesson-out').textContent));
    await shoot(page, 'course');
    await press(page, '#lesson-links button');
    assert.match(await page.inputValue('#text'), /__global__ void setRowReadCol/);
  },
  async 'the keyboard'(page, url) {
    await open(page, url);
    await page.focus('#to-kernel');
    await page.evaluate(() => { document.getElementById('state').textContent = ''; });
    await page.keyboard.press('ArrowRight');
    await settle(page);
    assert.strictEqual(await page.evaluate(() => document.activeElement.id), 'to-layout');
    assert.ok(await page.isVisible('#layout') && !(await page.isVisible('#kernel')));
    await page.keyboard.press('Tab');
    assert.strictEqual(await page.evaluate(() => document.activeElement.id), 'layout-example');
  },
  async 'narrow screens, light and dark'(page, url) {
    for (const colorScheme of ['light', 'dark']) {
      for (const width of [1280, 360]) {
        await page.emulateMedia({colorScheme});
        await page.setViewportSize({width, height: 800});
        for (const shown of ['report', 'explain', 'text']) {
          await open(page, `${url}#shown=${shown}`);
          const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
          assert.strictEqual(over, 0, `${shown} is ${over} pixels too wide for ${width}`);
          if (shown === 'report')
            await report(page);
          await shoot(page, `${shown}-${colorScheme}-${width}`);
        }
      }
    }
    const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.strictEqual(paper, 'rgb(18, 23, 29)');
  },
  async 'without a network'(page, url) {
    await page.evaluate(() => navigator.serviceWorker.ready);
    await page.waitForFunction(async () => (await (await caches.open('smembank')).keys()).length >= 10);
    await page.context().setOffline(true);
    await open(page, `${url}#shown=text`);
    assert.match(await page.textContent('#text-out'), /15872 of 16896/);
    await page.context().setOffline(false);
  },
};

async function main() {
  const server = await serve(site);
  const url = `http://127.0.0.1:${server.address().port}/`;
  const browser = await chromium.launch({executablePath, args: ['--no-sandbox']});
  const page = await browser.newPage();
  const asked = [], mistakes = [];
  page.context().on('request', request => asked.push(request));
  page.on('pageerror', error => mistakes.push(error.message));
  page.on('console', message => message.type() === 'error' && mistakes.push(message.text()));
  let failed = 0;
  for (const [name, test] of Object.entries(tests)) {
    try {
      await test(page, url);
    } catch (error) {
      failed += 1;
      console.log(`FAIL: ${name}: ${error.stack}\nthe page says: ${await page.textContent('#state')}`);
    }
  }
  const own = request => /^(about|data|blob):/.test(request.url()) || (request.url().startsWith(url) && request.method() === 'GET');
  const others = asked.filter(request => !own(request)).map(request => request.url());
  assert.deepStrictEqual(others, [], 'nothing is asked of, or sent to, anybody else');
  assert.deepStrictEqual(mistakes.filter(text => !/ERR_INTERNET_DISCONNECTED/.test(text)), [], 'no error is in the console');
  await browser.close();
  server.close();
  console.log(`${Object.keys(tests).length} tests, ${failed} failed`);
  process.exitCode = failed ? 1 : 0;
}

main().catch(error => {
  console.log(error);
  process.exit(1);
});
