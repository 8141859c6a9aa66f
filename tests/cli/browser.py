# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
"""What a browser makes of the page of 'smembank report': a path of clicks, keys and pointer moves.

Speaks W3C WebDriver with chromedriver, through the standard library only. Arguments: the program and an
empty folder. With SMEMBANK_SCREENSHOTS=FOLDER in the environment, leaves pictures there to be looked at.
"""
import base64
import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'
KEYS = {'Right': '\ue014', 'Left': '\ue012', 'Home': '\ue011', 'End': '\ue010', 'Tab': '\ue004'}


class Browser:
    """A session of a headless Chromium."""

    def __init__(self, folder):
        with socket.socket() as probe:
            probe.bind(('127.0.0.1', 0))
            port = probe.getsockname()[1]
        self.driver = subprocess.Popen(['chromedriver', f'--port={port}', '--silent'],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.root = f'http://127.0.0.1:{port}'
        self.session = ''
        self.wait_until_ready()
        arguments = ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage',
                     '--hide-scrollbars', '--window-size=1100,900', f'--user-data-dir={folder}']
        answer = self.call('POST', '/session', {'capabilities': {'alwaysMatch': {
            'browserName': 'chrome',
            'goog:chromeOptions': {'args': arguments},
            'goog:loggingPrefs': {'browser': 'ALL', 'performance': 'ALL'}}}})
        self.session = '/session/' + answer['sessionId']

    def wait_until_ready(self):
        for _ in range(300):
            try:
                if self.call('GET', '/status')['ready']:
                    return
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.1)
        raise SystemExit('chromedriver does not answer')

    def call(self, method, path, body=None):
        request = urllib.request.Request(self.root + path, method=method,
                                         data=None if body is None else json.dumps(body).encode(),
                                         headers={'Content-Type': 'application/json'})
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=60) as answer:
                return json.load(answer)['value']
        except urllib.error.HTTPError as error:
            raise AssertionError(f'{method} {path}: {error.read().decode()[:500]}') from error

    def close(self):
        try:
            if self.session:
                self.call('DELETE', self.session)
        finally:
            self.driver.terminate()
            self.driver.wait()

    def open(self, path):
        self.call('POST', self.session + '/url', {'url': 'file://' + path})

    def run(self, script, *arguments):
        return self.call('POST', self.session + '/execute/sync', {'script': script, 'args': arguments})

    def devtools(self, command, **parameters):
        return self.call('POST', self.session + '/goog/cdp/execute', {'cmd': command, 'params': parameters})

    def find(self, selector):
        found = self.call('POST', self.session + '/element', {'using': 'css selector', 'value': selector})
        return found[ELEMENT]

    def bring(self, selector):
        """Into view at once, and until two frames are drawn: what is to be clicked must not move any more."""
        self.call('POST', self.session + '/execute/async', {'args': [selector], 'script': '''
          const [selector, done] = arguments;
          const element = document.querySelector(selector);
          const frames = (n, then) => requestAnimationFrame(() => n > 1 ? frames(n - 1, then) : then());
          frames(2, () => {
            (element.closest('select') || element).scrollIntoView({block: 'center', behavior: 'instant'});
            frames(2, () => done());
          });'''})

    def click(self, selector):
        self.bring(selector)
        self.call('POST', f'{self.session}/element/{self.find(selector)}/click', {})

    def press(self, *names):
        actions = [{'type': kind, 'value': KEYS[name]} for name in names for kind in ('keyDown', 'keyUp')]
        self.call('POST', self.session + '/actions',
                  {'actions': [{'type': 'key', 'id': 'keys', 'actions': actions}]})

    def point(self, selector):
        self.bring(selector)
        x, y = self.run('const box = document.querySelector(arguments[0]).getBoundingClientRect();'
                        'return [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)]',
                        selector)
        move = {'type': 'pointerMove', 'duration': 0, 'x': x, 'y': y, 'origin': 'viewport'}
        self.call('POST', self.session + '/actions',
                  {'actions': [{'type': 'pointer', 'id': 'mouse', 'actions': [move]}]})

    def text(self, selector):
        return self.run('return document.querySelector(arguments[0]).textContent', selector)

    def count(self, selector):
        return self.run('return document.querySelectorAll(arguments[0]).length', selector)

    def values(self, selector, name):
        return self.run('return Array.from(document.querySelectorAll(arguments[0]), '
                        '(e) => e.getAttribute(arguments[1]))', selector, name)

    def shown(self, selector):
        return self.run('return Array.from(document.querySelectorAll(arguments[0])).filter('
                        '(e) => e.getClientRects().length > 0).length', selector)

    def log(self, kind):
        return self.call('POST', self.session + '/se/log', {'type': kind})

    def picture(self, name, full=True):
        folder = os.environ.get('SMEMBANK_SCREENSHOTS')
        if folder:
            shot = self.devtools('Page.captureScreenshot', captureBeyondViewport=full)['data']
            with open(os.path.join(folder, name), 'wb') as file:
                file.write(base64.b64decode(shot))


def same(what, got, want):
    if got != want:
        raise AssertionError(f'{what}: {got!r}, expected {want!r}')


MAP = '#access-1 .map:not([hidden])'
CAPTION = MAP + ' .caption'


def check_steps(browser):
    """Buttons and keys step through the passes of warp 0, which reads a column of a tile of 32 x 32."""
    same('maps shown', browser.shown('#access-1 .map'), 1)
    same('caption', browser.text(CAPTION), 'wavefront 1 of 32: lane 0')
    same('back', browser.values('#access-1 .back', 'aria-disabled'), ['true'])
    browser.click('#access-1 .next')
    same('caption', browser.text(CAPTION), 'wavefront 2 of 32: lane 1')
    same('now', browser.values(MAP + ' .word.now', 'data-lanes'), ['1'])
    same('done', browser.values(MAP + ' .word.done', 'data-lanes'), ['0'])
    same('waiting', browser.count(MAP + ' .word.wait'), 30)
    same('lane now', browser.values('#access-1 .lanes .now', 'data-lane'), ['1'])
    browser.run('document.querySelector(arguments[0]).focus()', MAP + ' .stage')
    browser.press('Right', 'Right', 'Left')
    same('caption', browser.text(CAPTION), 'wavefront 3 of 32: lane 2')
    browser.press('End', 'Right')
    same('caption', browser.text(CAPTION), 'wavefront 32 of 32: lane 31')
    same('next', browser.values('#access-1 .next', 'aria-disabled'), ['true'])
    same('done', browser.count(MAP + ' .word.done'), 31)
    browser.press('Home')
    same('caption', browser.text(CAPTION), 'wavefront 1 of 32: lane 0')
    browser.click('#access-1 .whole')
    same('pressed', browser.values('#access-1 .whole', 'aria-pressed'), ['true'])
    same('states', browser.count(MAP + ' :is(.word.now, .word.wait, .word.done)'), 0)
    same('colliding', browser.count(MAP + ' .word.clash'), 32)
    browser.picture('whole.png')
    browser.click('#access-1 .next')
    same('caption', browser.text(CAPTION), 'wavefront 1 of 32: lane 0')


def check_warp(browser):
    """Another warp; lanes and banks light up together."""
    browser.click('#access-1 .warps option[value="3"]')
    same('warp', browser.values(MAP, 'data-warp'), ['3'])
    same('maps shown', browser.shown('#access-1 .map'), 1)
    same('bank', browser.values(MAP + ' .word.now', 'data-bank'), ['3'])
    browser.point('#access-1 .lanes [data-lane="5"]')
    same('lit words', browser.values(MAP + ' .word.lit', 'data-lanes'), ['5'])
    same('lit banks', browser.values(MAP + ' .head.lit', 'data-bank'), ['3'])
    same('said', browser.text('#access-1 p.lit'), 'bank 3, byte 652: lane 5, wavefront 6')
    browser.picture('lit.png')
    browser.point(MAP + ' .word[data-lanes="7"]')
    same('lit words', browser.values(MAP + ' .word.lit', 'data-lanes'), ['7'])
    same('lit lanes', browser.values('#access-1 .lanes .lit', 'data-lane'), ['7'])
    browser.point(MAP + ' .head[data-bank="3"]')
    same('lit words', browser.count(MAP + ' .word.lit'), 32)
    same('lit lanes', browser.count('#access-1 .lanes .lit'), 32)
    browser.point(MAP + ' .head[data-bank="4"]')
    same('lit words', browser.count(MAP + ' .word.lit'), 0)
    browser.run('document.querySelector(arguments[0]).focus()', '#access-1 .lanes [tabindex="0"]')
    browser.press('Right', 'Right')
    same('lit words', browser.values(MAP + ' .word.lit', 'data-lanes'), ['2'])
    browser.press('Tab')
    same('lit words', browser.count(MAP + ' .word.lit'), 0)


def check_folds(browser, page):
    """Lines of a program in which nothing is counted: shown by their button, and by a link to one of them."""
    browser.open(page)
    rest = '.source .rest:not([hidden])'
    same('folds', [browser.shown('.fold'), browser.count(rest)], [2, 0])
    browser.click('.fold button')
    same('opened', [browser.count(rest), browser.values('.fold button', 'aria-expanded')], [1, ['true', 'false']])
    browser.click('.fold button')
    same('closed', browser.count(rest), 0)
    browser.run('location.hash = "#line-2"; return new Promise((done) => setTimeout(done, 50))')
    same('opened by a link', browser.count(rest), 1)
    browser.picture('folds.png')
    check_names(browser)


def check_media(browser):
    """Dark, without motion, as narrow as a phone, and printed."""
    colour = 'return getComputedStyle(document.body).backgroundColor'
    same('light', browser.run(colour), 'rgb(255, 255, 255)')
    browser.picture('light.png')
    browser.devtools('Emulation.setEmulatedMedia', features=[
        {'name': 'prefers-color-scheme', 'value': 'dark'},
        {'name': 'prefers-reduced-motion', 'value': 'reduce'}])
    same('dark', browser.run(colour), 'rgb(18, 23, 29)')
    same('motion', browser.run('return getComputedStyle(document.querySelector(".word > rect"))'
                               '.transitionDuration'), '0s')
    browser.picture('dark.png')
    browser.devtools('Emulation.setEmulatedMedia', features=[])
    browser.devtools('Emulation.setDeviceMetricsOverride', width=360, height=740, deviceScaleFactor=2,
                     mobile=True)
    widths = browser.run('return [document.scrollingElement.scrollWidth, innerWidth]')
    same('width', widths, [360, 360])
    # What an access is stays in view when its numbers are scrolled into it.
    lefts = browser.run('const box = document.querySelector("#accesses .box"); box.scrollLeft = 1000;'
                        'const left = (element) => Math.round(element.getBoundingClientRect().left -'
                        ' box.getBoundingClientRect().left);'
                        'return [box.scrollLeft > 0, left(box.querySelector("tfoot .op")) < 60,'
                        ' left(box.querySelector("tfoot .code")) < 0]')
    same('op at the left', lefts, [True, True, True])
    browser.picture('phone.png')
    browser.devtools('Emulation.clearDeviceMetricsOverride')
    browser.click('#access-1 .next')
    browser.run('window.dispatchEvent(new Event("beforeprint"))')
    same('printed pass', browser.text(CAPTION), 'wavefront 1 of 32: lane 0')
    browser.devtools('Emulation.setEmulatedMedia', media='print')
    same('printed maps', browser.shown('#access-1 .map'), 32)
    same('printed controls', browser.shown('.controls, .lanes, p.lit, nav'), 0)
    browser.devtools('Emulation.setEmulatedMedia', media='')
    browser.run('window.dispatchEvent(new Event("afterprint"))')
    same('pass after it', browser.text(CAPTION), 'wavefront 2 of 32: lane 1')
    pdf = base64.b64decode(browser.call('POST', browser.session + '/print', {}))
    same('PDF', pdf[:5], b'%PDF-')
    folder = os.environ.get('SMEMBANK_SCREENSHOTS')
    if folder:
        with open(os.path.join(folder, 'print.pdf'), 'wb') as file:
            file.write(pdf)


def check_names(browser):
    """Everything that can be reached has a name, and each id is one thing."""
    nameless = browser.run('''return Array.from(document.querySelectorAll('button, select, [tabindex], svg'))
      .filter((e) => !(e.getAttribute('aria-label') || e.textContent.trim())).map((e) => e.outerHTML)''')
    same('without a name', nameless, [])
    twice = browser.run('''const ids = Array.from(document.querySelectorAll('[id]'), (e) => e.id);
      return ids.filter((id, i) => ids.indexOf(id) !== i)''')
    same('ids that are there twice', twice, [])
    lost = browser.run('''return Array.from(document.querySelectorAll('a[href^="#"]'))
      .filter((e) => !document.querySelector(e.getAttribute('href'))).map((e) => e.outerHTML)''')
    same('links to nothing', lost, [])


def check_quiet(browser):
    """No error on the console, and nothing asked of anyone but the page itself."""
    same('console', [entry['message'] for entry in browser.log('browser')], [])
    asked = set()
    for entry in browser.log('performance'):
        message = json.loads(entry['message'])['message']
        if message['method'] == 'Network.requestWillBeSent':
            asked.add(message['params']['request']['url'])
    own = ('file://', 'data:', 'chrome://')  # the last: the tab that the browser starts with
    same('asked', [url for url in asked if not url.startswith(own)], [])
    same('files', len([url for url in asked if url.startswith('file://')]), 1)


def check_without_script(browser, page):
    """The page reads without its script: all maps are there, and no control that would do nothing."""
    browser.devtools('Emulation.setScriptExecutionDisabled', value=True)
    browser.open(page)
    same('maps without script', browser.shown('#access-1 .map'), 32)
    same('controls without script', browser.shown('.controls, .lanes'), 0)
    browser.devtools('Emulation.setScriptExecutionDisabled', value=False)


def check_other(browser, page, access, first):
    """Another page: its script runs, and the first pass stands out."""
    browser.log('performance')  # what was asked for so far is read, and forgotten
    browser.open(page)
    shown = f'#access-{access} .map:not([hidden]) '
    same('script', browser.count('html.js'), 1)
    same('caption', browser.text(shown + '.caption'), first)
    browser.click(f'#access-{access} .next')
    same('words now', browser.count(shown + '.word.now') > 0, True)
    check_names(browser)
    check_quiet(browser)
    browser.picture(os.path.basename(page).replace('.html', '.png'))


def main():
    program, folder = sys.argv[1:]

    def report(name, *arguments):
        page = os.path.join(folder, name)
        subprocess.run([program, 'report', page, *arguments], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        return page

    program_text = os.path.join(folder, 'program.cu')
    with open(program_text, 'w', encoding='utf-8') as file:
        file.write('#include <cstdio>\n#define N 1024\n\n\n'
                   '__global__ void k(int *o) {\n  __shared__ int t[N];\n  t[threadIdx.x * 2] = 1;\n'
                   '  o[threadIdx.x] = t[threadIdx.x * 32];\n}\n'
                   'int main() {\n  k<<<1, 32>>>(0);\n  puts("done");\n  return 0;\n}\n')
    hostile = os.path.join(folder, 'hostile.cu')
    with open(hostile, 'wb') as file:
        file.write(b'// </script><script>throw "run"</script><svg onload="throw 1"> \xff\xfe &amp; \'"\n'
                   b'__global__ void h(int *o) { __shared__ int t[512];\n'
                   b'  atomicExch(&t[threadIdx.x / 4 /* </script><!-- */], 1 < 2); o[0] = t[0]; }\n')
    browser = Browser(os.path.join(folder, 'profile'))
    try:
        tile = report('tile.html', '--rows', '32', '--cols', '32')
        browser.open(tile)
        check_steps(browser)
        check_warp(browser)
        check_media(browser)
        check_names(browser)
        check_quiet(browser)
        check_without_script(browser, tile)
        check_other(browser, report('wide.html', '--rows', '16', '--cols', '16', '--elem', 'float4'), 1,
                    'wavefront 1 of 32: lane 0 (of the lane group of lanes 0-7)')
        check_other(browser, report('hostile.html', hostile), 0,
                    'wavefront 1 of 4: lanes 0, 4, 8, ..., 28')
        check_folds(browser, report('program.html', program_text, '--entry', 'k', '--block', '32', '--text'))
        # Machine code without its source: there is no listing to scroll.
        code = os.path.join(os.environ['srcdir'], 'tests', 'data', 'sass', 'inlined.sm_90.cubin')
        check_other(browser, report('code.html', code, '--entry', 'inlined', '--block', '32'), 1,
                    'wavefront 1 of 32: lane 0')
    finally:
        browser.close()


if __name__ == '__main__':
    main()
