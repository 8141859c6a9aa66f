# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
"""The site of the documents in a headless Chromium: pages fit a phone, the search finds what is there, and the choice of light or dark is
kept. Arguments: the folder of the site, and an empty one. Opened as files, as a reader does who has no server."""
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'cli'))
from browser import Browser  # noqa: E402

PHONE = 360  # pixels

# What is wider than the screen, and cannot be scrolled by itself.
TOO_WIDE = '''const scrolls = element =>
  element !== document.body && (getComputedStyle(element).overflowX !== 'visible' || scrolls(element.parentElement));
return [...document.querySelectorAll('body *')].filter(
  element => element.getBoundingClientRect().right > arguments[0] + 1 && !scrolls(element.parentElement)
).slice(0, 3).map(element => element.tagName + ' ' + element.textContent.slice(0, 40))'''
SEARCH = '''const field = document.getElementById('search');
field.focus(); field.value = arguments[0]; field.dispatchEvent(new Event('input'))'''
FOUND = '''return [...document.querySelectorAll('#results a')].map(link => link.getAttribute('href'))'''


def wait_for(condition, what):
    for _ in range(100):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError(what)


def check_phone(browser, site):
    browser.devtools('Emulation.setDeviceMetricsOverride', width=PHONE, height=740, deviceScaleFactor=1, mobile=True)
    for name in sorted(os.listdir(site)):
        if name.endswith('.html'):
            browser.open(os.path.join(site, name))
            wide = browser.run(TOO_WIDE, PHONE)
            assert not wide, f'{name}: wider than a phone: {wide}'
    shown = "return getComputedStyle(document.getElementById('pages')).display"
    assert browser.run(shown) == 'none', 'the menu is open'
    browser.click('#menu')
    assert browser.run(shown) != 'none', 'the menu does not open'
    assert browser.run("return document.getElementById('menu').getAttribute('aria-expanded')") == 'true'


def check_search(browser):
    browser.run(SEARCH, 'ldmatrix swizzle')
    wait_for(lambda: browser.run(FOUND), 'nothing found')
    found = browser.run(FOUND)
    assert any(link.startswith('faq.html#') for link in found) and any(link.startswith('layout.html') for link in found), found
    browser.run(SEARCH, 'ldmatrix no-such-word')
    wait_for(lambda: 'Nothing found' in browser.run("return document.getElementById('results').textContent"), 'found what is not there')


def check_theme(browser, site):
    paper = 'return getComputedStyle(document.body).backgroundColor'
    before = browser.run(paper)
    browser.click('#theme')
    chosen = browser.run(paper)
    assert chosen != before, 'light and dark are the same'
    browser.open(os.path.join(site, 'faq.html'))
    assert browser.run(paper) == chosen, 'the choice is lost on the next page'


def main():
    site, work = sys.argv[1:]
    browser = Browser(work)
    try:
        check_phone(browser, site)
        browser.devtools('Emulation.clearDeviceMetricsOverride')
        browser.open(os.path.join(site, 'index.html'))
        check_search(browser)
        check_theme(browser, site)
        messages = browser.call('POST', browser.session + '/se/log', {'type': 'browser'})
        assert not messages, messages
    finally:
        browser.close()


if __name__ == '__main__':
    main()
