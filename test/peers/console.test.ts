/** The console in Chromium against the built bundle: the stories of the rate limiter's room, and the frame. */

import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleConsole } from '#bin/bundle-console.ts'
import { type RunningBundle, startBundle } from '../support/bundle.ts'
import { chromiumPath, startBrowser } from '../support/chromium.ts'
import {
  addressOf,
  expectAccessible,
  expectAddress,
  expectNoSidewaysScroll,
  openConsole,
  startMortalServer,
} from '../support/console.ts'

const vars = { ADMIN_TOKEN: 'admin', GRID_TOKEN: 'grid', STREAMNET_TOKEN: 'streams', STREAMNET_ADMIN_TOKEN: 'operator' }
const tokens = { ratelimit: 'admin', grid: 'grid', streamnet: 'streams' }
const rules = `domain: shop
descriptors:
  - key: login
    rate_limit:
      unit: day
      requests_per_unit: 5
  - key: path
    value: /search/*
    rate_limit:
      unit: second
      requests_per_unit: 50
`

let bundle: RunningBundle
let browser: Browser

beforeAll(async () => {
  if (chromiumPath === null) return
  await bundleConsole()
  bundle = await startBundle({ worker: 'index', rebuild: true, vars })
  browser = await startBrowser()
  await operate('PUT', '/config/files', { files: { 'config.shop.yaml': rules } })
  for (let at = 0; at < 8; at++) await login('mia')
})
afterAll(async () => {
  await browser?.close()
  await bundle?.stop()
})

async function operate(method: string, path: string, body?: unknown): Promise<Response> {
  const headers = { authorization: 'Bearer admin' }
  const response = await fetch(`${bundle.url}/ratelimit${path}`, { method, headers, body: JSON.stringify(body) })
  expect(response.status).toBe(200)
  return response
}

async function login(name: string): Promise<number> {
  const body = { domain: 'shop', descriptors: [{ entries: [{ key: 'login', value: name }] }] }
  const response = await fetch(`${bundle.url}/json`, { method: 'POST', body: JSON.stringify(body) })
  await response.text()
  return response.status
}

const algorithms = `domain: algorithms
descriptors:
  - key: bucket
    rate_limit: { unit: hour, requests_per_unit: 60, sluice: { algorithm: token_bucket, burst: 4 } }
  - key: slide
    rate_limit: { unit: hour, requests_per_unit: 4, sluice: { algorithm: sliding, charge: admitted } }
  - key: month
    rate_limit: { unit: month, requests_per_unit: 4, sluice: { algorithm: calendar, time_zone: Europe/Berlin } }
  - key: spend
    rate_limit: { unit: hour, requests_per_unit: 8, sluice: { unsettled: charged } }
  - key: held
    rate_limit: { unit: hour, requests_per_unit: 4, sluice: { algorithm: concurrency } }
`

describe.skipIf(chromiumPath === null)('the room of the rate limiter (skipped without Chromium)', () => {
  it('shows the key that is refused, says why, and blocks it', async () => {
    const { page, faults, foreign, close } = await openConsole(browser, bundle.url, '/console/ratelimit', { tokens })
    const keys = page.getByRole('region', { name: 'Keys, refused most' })
    await keys.getByText('login=mia').waitFor()
    await expectAccessible(page)
    const ask = page.getByRole('region', { name: 'Ask' })
    await ask.getByLabel('Domain').fill('shop')
    await ask.getByLabel('Key of entry 1').fill('login')
    await ask.getByLabel('Value of entry 1').fill('mia')
    await ask.getByRole('button', { name: 'Ask why' }).click()
    const answer = page.getByRole('region', { name: 'Answer' })
    await answer.getByRole('heading', { name: 'Refused' }).waitFor()
    await expect.poll(() => answer.locator('.taken').innerText()).toMatch(/default\s+login\s+taken/)
    await expect
      .poll(() => answer.locator('.ladder').innerText())
      .toMatch(/exact\s+login_mia\s+no such rule\s+wildcard\s+path_\/search\/\*\s+does not match/)
    await expectAddress(page, 'search', '?domain=shop&entry=login%3Dmia')
    await expectAccessible(page)
    await answer.getByRole('link', { name: 'Open the counter' }).click()
    await page.getByRole('button', { name: 'Reset to zero' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Reset to zero' }).click()
    await page.getByText('No window is open').waitFor()
    expect(await login('mia')).toBe(200)
    await page.getByRole('button', { name: 'Block for 10 minutes' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('is refused until').waitFor()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Block for 10 minutes' }).click()
    await page.getByText(/blocked until/).waitFor()
    expect(await login('mia')).toBe(429)
    await page.getByRole('button', { name: 'Lift the block' }).click()
    await dialog.getByRole('button', { name: 'Lift the block' }).click()
    await page.getByText('not blocked', { exact: true }).waitFor()
    expect(await login('mia')).toBe(200)
    expect([faults, foreign]).toEqual([[], []])
    await close()
  })

  it('lists the keys that are used most, and the rules as a tree by domain', async () => {
    await login('often')
    const { page, faults, close } = await openConsole(browser, bundle.url, '/console/ratelimit', { tokens })
    await page.getByRole('button', { name: 'Used most', exact: true }).click()
    const keys = page.getByRole('region', { name: 'Keys, used most' })
    await keys.getByText('login=often').waitFor()
    await page.getByRole('button', { name: 'Tree', exact: true }).click()
    const rules = page.getByRole('region', { name: 'Rules by domain' }).locator('tbody th')
    await expect.poll(() => rules.allInnerTexts()).toEqual(['shop', 'login', 'path_/search/*'])
    await expectAddress(page, 'search', '?keys=used&rules=tree')
    await expectAccessible(page)
    await page.reload()
    await keys.getByText('login=often').waitFor()
    await page.getByRole('region', { name: 'Rules by domain' }).getByText('path_/search/*').waitFor()
    expect(faults).toEqual([])
    await close()
  })

  it('shows mistakes at their lines, changed rules and changed decisions, publishes and rolls back', async () => {
    const { page, faults, close } = await openConsole(browser, bundle.url, '/console/ratelimit/rules', { tokens })
    const text = page.getByLabel('Text of config.shop.yaml')
    await text.fill(rules.replace('unit: day', 'unit: days'))
    await page.getByText(/Line 5: .*unit 'days'/).waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Publish' }).isDisabled()).toBe(true)
    await expectAccessible(page)
    await text.fill(rules.replace('requests_per_unit: 5', 'requests_per_unit: 1'))
    await page.getByRole('list', { name: 'Rules that change' }).getByText('shop.login').waitFor()
    await page.getByRole('button', { name: 'Judge the last requests' }).click()
    await page.getByText(/requests? would be decided differently/).waitFor()
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
    await page.getByText('Published: revision 2 decides every request now.').waitFor()
    await page.getByRole('heading', { name: /revision 2/ }).waitFor()
    await page.getByRole('link', { name: 'History' }).click()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Roll back to 1' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back to 1' }).click()
    await page.getByRole('heading', { name: 'Revision 3 runs' }).waitFor()
    await page.getByText('rolled back to revision 1,').waitFor()
    const status = await (await operate('GET', '/config')).json()
    const newest = status.revisions.find(({ revision }: { revision: number }) => revision === 3)
    expect(newest.who).toBe('console')
    expect(faults).toEqual([])
    await close()
  })

  it('keeps edits that are not published over rooms and reloads, and offers them to a newer revision', async () => {
    const place = '/console/ratelimit/rules'
    const { page, faults, close } = await openConsole(browser, bundle.url, place, { tokens })
    const text = page.getByLabel('Text of config.shop.yaml')
    const mine = rules.replace('requests_per_unit: 5', 'requests_per_unit: 4')
    await text.fill(mine)
    await page.getByText('1 file is edited and not published.').waitFor()
    const rail = page.getByRole('navigation', { name: 'Rooms' })
    await rail.getByRole('link', { name: 'Grid' }).click()
    await page.getByRole('heading', { name: 'Grid', exact: true }).waitFor()
    await rail.getByRole('link', { name: 'Rate limit' }).click()
    await page.getByRole('link', { name: 'Rules *' }).click()
    await expect.poll(() => text.inputValue()).toBe(mine)
    await page.reload()
    await text.waitFor()
    await expect.poll(() => text.inputValue()).toBe(mine)
    // Another person publishes meanwhile.
    const theirs = rules.replace('requests_per_unit: 50', 'requests_per_unit: 51')
    await operate('PUT', '/config/files', { files: { 'config.shop.yaml': theirs } })
    await page.getByRole('list', { name: 'Rules that change' }).getByText('shop.login').waitFor()
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
    await page.getByText(/You edited revision \d+, and revision \d+ runs now\./).waitFor()
    await page.getByText(/changed in revision \d+ too/).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Go on with the draft' }).click()
    await expect.poll(() => text.inputValue()).toBe(mine)
    await page.getByRole('list', { name: 'Rules that change' }).getByText('path_/search').waitFor()
    await page.getByRole('button', { name: 'Discard changes' }).click()
    await expect.poll(() => text.inputValue()).toBe(theirs)
    await page.getByRole('link', { name: 'Rules', exact: true }).waitFor()
    await operate('PUT', '/config/files', { files: { 'config.shop.yaml': rules } })
    expect(faults).toEqual([])
    await close()
  })

  it('shows decisions as they come, and their values hashed on demand', async () => {
    const { page, close } = await openConsole(browser, bundle.url, '/console/ratelimit', { tokens })
    const feed = page.getByRole('region', { name: 'Decisions as they come' })
    await page.getByText('live', { exact: true }).waitFor()
    await login('ada')
    await feed.getByText('shop login=ada').waitFor()
    await feed.getByRole('button', { name: 'Hash values' }).click()
    await expect
      .poll(async () => {
        await login('ada')
        return feed.getByText(/login=#[0-9a-f]{12}/).count()
      })
      .toBeGreaterThan(0)
    await close()
  })
})

describe.skipIf(chromiumPath === null)('the frame (skipped without Chromium)', () => {
  it('says which token is wrong, and takes another', async () => {
    const { page, close } = await openConsole(browser, bundle.url, '/console/ratelimit', {
      tokens: { ratelimit: 'no' },
    })
    await page.getByRole('alert').getByText('ADMIN_TOKEN is wrong').waitFor()
    await page.getByRole('button', { name: 'Give tokens' }).click()
    await expectAccessible(page)
    await page.getByLabel('Rate limit: ADMIN_TOKEN').fill('admin')
    await page.getByRole('button', { name: 'Use these' }).click()
    await page.getByText('login=mia').first().waitFor()
    expect((await addressOf(page)).href).not.toContain('admin')
    await close()
  })

  it('can be used with the keyboard only', async () => {
    const { page, close } = await openConsole(browser, bundle.url, '/', { tokens })
    await page.getByRole('heading', { name: 'Sluice', exact: true }).waitFor()
    await page.keyboard.press('Tab')
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to the view')
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))
    const isFinding = () => expect.poll(focused).toContain('A key, rule, bus')
    const rooms = page.getByRole('list', { name: 'Found' }).getByRole('button', { name: /^Rate limit/ })
    await page.keyboard.press('/')
    await isFinding()
    await page.keyboard.type('rate')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('/')
    await isFinding()
    await rooms.waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Rate limit', exact: true }).waitFor()
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('main')
    await page.getByLabel('Key of entry 1').waitFor()
    for (let at = 0; at < 60 && (await focused()) !== 'Key of entry 1'; at++) await page.keyboard.press('Tab')
    expect(await focused()).toBe('Key of entry 1')
    await page.keyboard.type('login')
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.type('shop')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: /^(Refused|Allowed)$/ }).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    await close()
  })

  it('shows the activity of each service on its first page', async () => {
    const headers = { authorization: 'Bearer grid' }
    const order = (path: string, body: object) =>
      fetch(`${bundle.url}/api/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    await order('sim/start', {})
    await order('attack/enable', { type: 'FDI_STEALTH', params: { bus: 9 } })
    await expect.poll(() => login('ann'), { interval: 1 }).toBe(429)
    const { page, faults, close } = await openConsole(browser, bundle.url, '/', { tokens })
    const limiter = page.getByRole('region', { name: 'Rate limit' })
    await limiter.getByText(/requests in the last 2 min/).waitFor()
    await limiter.getByText(/^\d+ refused$/).waitFor()
    const grid = page.getByRole('region', { name: 'Grid' })
    await grid.getByText('FDI_STEALTH on bus 9').waitFor()
    await grid.getByText(/\d+ MW$/).waitFor()
    await page
      .getByRole('region', { name: 'Streams' })
      .getByText(/^\d+ blocks?$/)
      .waitFor()
    await expectAccessible(page)
    await limiter.getByRole('link', { name: /^login=/ }).click()
    await page.getByRole('heading', { name: 'Counter', exact: true }).waitFor()
    expect(faults).toEqual([])
    await close()
    await order('sim/stop', {})
  })

  it('names the missing token on its first page', async () => {
    const given = { ratelimit: 'admin' }
    const { page, close } = await openConsole(browser, bundle.url, '/', { tokens: given })
    const grid = page.getByRole('region', { name: 'Grid' })
    await grid.getByText('Give GRID_TOKEN with the button "Tokens" to see what it does now.').waitFor()
    await close()
  })

  it('finds names of rooms that were not opened, and lists the rooms that it cannot search', async () => {
    const given = { ratelimit: 'admin', grid: 'grid' }
    const { page, faults, close } = await openConsole(browser, bundle.url, '/', { tokens: given })
    await page.getByRole('heading', { name: 'Sluice', exact: true }).waitFor()
    await page.keyboard.press('/')
    const dialog = page.getByRole('dialog', { name: 'Find' })
    const found = dialog.getByRole('list', { name: 'Found' })
    const text = dialog.getByRole('textbox')
    await text.fill('shop.login')
    await found.getByRole('button', { name: 'shop.login rule' }).waitFor()
    await text.fill('login_mia')
    await found.getByRole('button', { name: /login_mia_ key$/ }).waitFor()
    await dialog.getByText('Cannot look through Streams: the token is missing or wrong').waitFor()
    await text.fill('9')
    await found.getByRole('button', { name: '9 block', exact: true }).waitFor()
    await text.fill('no such thing')
    await dialog.getByText('Nothing has this name').waitFor()
    await expectAccessible(page)
    await text.fill('bus 9')
    await found.getByRole('button', { name: 'Bus 9 bus' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Grid', exact: true }).waitFor()
    await expectAddress(page, 'search', '?bus=9')
    // The page is about the grid, whose token was given.
    expect(await page.getByText('TOKEN is missing').count()).toBe(0)
    expect(faults).toEqual([])
    await close()
  })

  it('goes back from a counter, a dialog and the search to the view, on a phone too', async () => {
    const options = { tokens, width: 360 }
    const { page, faults, close } = await openConsole(browser, bundle.url, '/', options)
    const rail = page.getByRole('navigation', { name: 'Rooms' })
    await rail.getByRole('link', { name: 'Rate limit' }).click()
    await page.getByRole('region', { name: 'Keys, refused most' }).getByText('login=mia').click()
    const sheet = page.getByRole('complementary', { name: 'Counter' })
    await sheet.getByRole('button', { name: 'Reset to zero' }).click()
    await page.getByRole('dialog').waitFor()
    await page.goBack()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await sheet.waitFor()
    await page.goBack()
    await sheet.waitFor({ state: 'detached' })
    await expectAddress(page, 'pathname', '/console/ratelimit')
    await page.getByRole('region', { name: 'Keys, refused most' }).getByText('login=mia').click()
    await sheet.getByRole('button', { name: 'Close Counter' }).click()
    await sheet.waitFor({ state: 'detached' })
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('/')
    const search = page.getByRole('dialog', { name: 'Find' })
    await search.getByRole('button', { name: 'Docs page' }).click()
    await page.getByRole('navigation', { name: 'Operations' }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: 'Rate limit' }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: 'Sluice', exact: true }).waitFor()
    await expectAddress(page, 'pathname', '/')
    expect(faults).toEqual([])
    await close()
  })

  it.each([
    ['/', 'You are not signed in'],
    ['/console/ratelimit?key=shop.login', 'ADMIN_TOKEN is missing'],
    ['/console/ratelimit/rules', 'ADMIN_TOKEN is missing'],
    ['/console/grid?attacks=1', 'GRID_TOKEN is missing'],
    ['/console/streams/chain?block=1', 'STREAMNET_TOKEN is missing'],
  ])('%s says once that it is signed out, asks for one thing and shows nothing else', async (path, reason) => {
    const { page, faults, close } = await openConsole(browser, bundle.url, path, { width: 360 })
    const main = page.getByRole('main')
    await main.getByRole('alert').getByText(reason).waitFor()
    await main.getByRole('heading', { level: 1 }).waitFor()
    const shown = () => main.locator('.skeleton, .problem, .empty, .sheet, button').filter({ visible: true })
    await expect.poll(() => shown().allInnerTexts()).toEqual([expect.stringContaining(reason), 'Give tokens'])
    await expectAccessible(page)
    await expectNoSidewaysScroll(page)
    await main.getByRole('button', { name: 'Give tokens' }).click()
    for (const [label, token] of [
      ['ADMIN_TOKEN', 'admin'],
      ['GRID_TOKEN', 'grid'],
      ['STREAMNET_TOKEN', 'streams'],
    ] as const)
      await page.getByRole('dialog').getByLabel(label).fill(token)
    await page.getByRole('button', { name: 'Use these' }).click()
    await main.getByText(reason).waitFor({ state: 'detached' })
    await expect.poll(() => main.innerText()).toMatch(/requests|Files|Enable|blocks/)
    expect(faults).toEqual([])
    await close()
  })

  it('gives the keyboard to a dialog as soon as it is in the page, and takes it back at its end', async () => {
    const { page, close } = await openConsole(browser, bundle.url, '/', { tokens })
    await page.getByRole('heading', { name: 'Sluice', exact: true }).waitFor()
    const opener = page.getByRole('button', { name: /^Find/ })
    await opener.focus()
    // What a rendering of the page in between would see: the observer is called before anything else runs.
    const seen = await page.evaluate(() => {
      const seen = new Promise((resolve) => {
        new MutationObserver((_, observer) => {
          const dialog = document.querySelector('dialog')
          if (dialog === null) return
          observer.disconnect()
          resolve({ isOpen: dialog.open, focused: document.activeElement?.tagName })
        }).observe(document.body, { childList: true, subtree: true })
      })
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '/', bubbles: true }))
      return seen
    })
    expect(seen).toEqual({ isOpen: true, focused: 'INPUT' })
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expect.poll(() => opener.evaluate((button) => button === document.activeElement)).toBe(true)
    await close()
  })

  it('takes a key that follows Escape at once', async () => {
    const { page, close } = await openConsole(browser, bundle.url, '/', { tokens })
    await page.getByRole('heading', { name: 'Sluice', exact: true }).waitFor()
    await page.keyboard.press('/')
    await page.getByRole('dialog', { name: 'Find' }).waitFor()
    // The observer is called as soon as the dialog is hidden: before the browser's own event of closing.
    await page.evaluate(() => {
      new MutationObserver((_, observer) => {
        if (document.querySelector('dialog[open]') !== null) return
        observer.disconnect()
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '?', bubbles: true }))
      }).observe(document.body, { attributes: true, childList: true, subtree: true })
    })
    await page.keyboard.press('Escape')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    await close()
  })

  it('draws a bucket, windows, what is reserved and places that are held, with what of them is used', async () => {
    await operate('PUT', '/config/files', {
      files: { 'config.shop.yaml': rules, 'config.algorithms.yaml': algorithms },
    })
    const reservation = (key: string) =>
      key === 'spend' || key === 'held' ? [{ key: 'sluice.reserve', value: 'call-1' }] : []
    for (const key of ['bucket', 'slide', 'month', 'spend', 'held']) {
      const entries = [{ key, value: 'mia' }, ...reservation(key)]
      const body = { domain: 'algorithms', descriptors: [{ entries, hits_addend: 3 }] }
      await (await fetch(`${bundle.url}/json`, { method: 'POST', body: JSON.stringify(body) })).text()
    }
    const pictures = [
      ['bucket', /^1 of 4 hits are in the bucket. One hit flows in every 1 min.$/],
      ['slide', /^3 of 4 hits count: those of the open window, and \d+ % of/],
      ['spend', /^3 of 8 hits count from 20/, /^0 hits are counted for good, 3 are reserved, of 8.$/],
      ['held', /^3 of 4 places are held. A holder that is lost gives its place back within 1 h.$/],
      ['month', /^3 of 4 hits count from 20\d\d-\d\d-\d\d \d\d:00:00 to/],
    ] as const
    for (const [key, drawn, ofSheet = drawn] of pictures) {
      const { page, faults, close } = await openConsole(
        browser,
        bundle.url,
        `/console/ratelimit/ask?domain=algorithms&entry=${key}%3Dmia${reservation(key).length === 0 ? '' : '&entry=sluice.reserve%3Dcall-2'}`,
        { tokens, width: key === 'slide' ? 360 : 1280 },
      )
      const answer = page.getByRole('region', { name: 'Answer' })
      await answer.getByRole('img', { name: drawn }).waitFor()
      await expectAccessible(page)
      await expectNoSidewaysScroll(page)
      await answer.getByRole('link', { name: 'Open the counter' }).click()
      await page.getByRole('complementary', { name: 'Counter' }).getByRole('img', { name: ofSheet }).waitFor()
      await expectAccessible(page)
      expect(faults).toEqual([])
      await close()
    }
  })

  it('goes on after the server went and came back', async () => {
    const server = await startMortalServer(bundle.url)
    const { page, close } = await openConsole(browser, server.url, '/console/ratelimit', { tokens })
    await page.getByText('live', { exact: true }).waitFor()
    await server.die()
    await page.getByText('no connection').waitFor()
    await page.getByText('reconnecting').waitFor()
    await server.comeBack()
    await page.getByText('live', { exact: true }).waitFor()
    await page.getByText('healthy', { exact: true }).waitFor()
    await login('zoe')
    await page.getByText('shop login=zoe').waitFor()
    await close()
    await server.stop()
  })

  it.each(['ratelimit', 'grid', 'streams'])('shows the operations of %s, and tries one', async (name) => {
    const { page, faults, close } = await openConsole(browser, bundle.url, `/docs/${name}`, { tokens })
    await page.getByRole('navigation', { name: 'Operations' }).getByRole('link').first().waitFor()
    await expectAccessible(page)
    const filter = { ratelimit: 'readStatus', grid: 'getStatus', streams: 'list_streams' }[name] ?? ''
    await page.getByLabel('Filter operations').fill(filter)
    await page.getByRole('navigation', { name: 'Operations' }).getByRole('link').first().click()
    await page.getByRole('button', { name: /^Send / }).click()
    await page
      .getByRole('region', { name: 'Answer' })
      .getByText(/^\d{3}$/)
      .waitFor()
    expect(faults).toEqual([])
    await close()
  })

  const places = [
    '/',
    '/console/ratelimit',
    '/console/ratelimit/ask',
    '/console/ratelimit/rules',
    '/console/ratelimit/history',
    '/docs/ratelimit',
  ]
  it.each(places)('%s fits a phone of 360 px, in dark, and axe-core finds nothing', async (path) => {
    const options = { tokens, width: 360, theme: 'dark' } as const
    const { page, faults, close } = await openConsole(browser, bundle.url, path, options)
    await page.locator('main h1').waitFor()
    await page.locator('.skeleton').first().waitFor({ state: 'detached' })
    await expectNoSidewaysScroll(page)
    await expectAccessible(page)
    expect(faults).toEqual([])
    await close()
  })
})

describe.skipIf(chromiumPath === null)('a Worker with one surface (skipped without Chromium)', () => {
  it('shows its room and no other', async () => {
    const alone = await startBundle({ worker: 'ratelimit', rebuild: true, hasPages: true, vars })
    const { page, close } = await openConsole(browser, alone.url, '/', { tokens })
    await page.getByRole('heading', { name: 'Sluice rate limit' }).waitFor()
    const rail = page.getByRole('navigation', { name: 'Rooms' })
    await expect.poll(() => rail.getByRole('link').allInnerTexts()).toEqual(['Home', 'Rate limit', 'Docs'])
    await rail.getByRole('link', { name: 'Rate limit' }).click()
    await page.getByText('No rules run').waitFor()
    await close()
    await alone.stop()
  })
})
