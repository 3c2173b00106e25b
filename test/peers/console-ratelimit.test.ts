/** The rate limiter's room in Chromium: decisions and why, rules that are edited and published, counters as drawings. */

import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { chromiumPath, startBrowser } from '../support/chromium.ts'
import {
  expectAccessible,
  expectAddress,
  expectNoSidewaysScroll,
  type PageOptions,
  visitConsole,
} from '../support/console.ts'
import { shopRules, startConsoleServer, consoleTokens as tokens } from '../support/console-server.ts'
import { host } from '../support/host.ts'

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
  const server = host(startConsoleServer)
  const browser = host(() => startBrowser())
  const visit = (path: string, look: (page: Page) => Promise<void>, options: PageOptions = {}) =>
    visitConsole(browser, server.url, path, look, { tokens, ...options })

  it('shows the key that is refused, says why, and blocks it', async () => {
    await visit('/console/ratelimit', async (page) => {
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
      expect(await server.login('mia')).toBe(200)
      await page.getByRole('button', { name: 'Block for 10 minutes' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText('is refused until').waitFor()
      await expectAccessible(page)
      await dialog.getByRole('button', { name: 'Block for 10 minutes' }).click()
      await page.getByText(/blocked until/).waitFor()
      expect(await server.login('mia')).toBe(429)
      await page.getByRole('button', { name: 'Lift the block' }).click()
      await dialog.getByRole('button', { name: 'Lift the block' }).click()
      await page.getByText('not blocked', { exact: true }).waitFor()
      expect(await server.login('mia')).toBe(200)
    })
  })

  it('lists the keys that are used most, and the rules as a tree by domain', async () => {
    await server.login('often')
    await visit('/console/ratelimit', async (page) => {
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
    })
  })

  it('shows mistakes at their lines, changed rules and changed decisions, publishes and rolls back', async () => {
    await visit('/console/ratelimit/rules', async (page) => {
      const text = page.getByLabel('Text of config.shop.yaml')
      await text.fill(shopRules.replace('unit: day', 'unit: days'))
      await page.getByText(/Line 5: .*unit 'days'/).waitFor()
      await expect.poll(() => page.getByRole('button', { name: 'Publish' }).isDisabled()).toBe(true)
      await expectAccessible(page)
      await page.route('**/config/check', (route) => route.abort())
      await text.fill(shopRules.replace('requests_per_unit: 5', 'requests_per_unit: 1'))
      await page.getByText('The files are not checked.').waitFor()
      await expect.poll(() => page.getByRole('button', { name: 'Publish' }).isDisabled()).toBe(true)
      await page.unroute('**/config/check')
      await page.getByRole('button', { name: 'Try again' }).click()
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
      const status = await (await server.operate('GET', '/config')).json()
      const newest = status.revisions.find(({ revision }: { revision: number }) => revision === 3)
      expect(newest.who).toBe('console')
    })
  })

  it('keeps edits that are not published over rooms and reloads, and offers them to a newer revision', async () => {
    const place = '/console/ratelimit/rules'
    await visit(place, async (page) => {
      const text = page.getByLabel('Text of config.shop.yaml')
      const mine = shopRules.replace('requests_per_unit: 5', 'requests_per_unit: 4')
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
      const theirs = shopRules.replace('requests_per_unit: 50', 'requests_per_unit: 51')
      await server.operate('PUT', '/config/files', { files: { 'config.shop.yaml': theirs } })
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
      await server.operate('PUT', '/config/files', { files: { 'config.shop.yaml': shopRules } })
    })
  })

  it('keeps what is typed while a revision is published', async () => {
    await visit('/console/ratelimit/rules', async (page) => {
      const text = page.getByLabel('Text of config.shop.yaml')
      const first = shopRules.replace('requests_per_unit: 5', 'requests_per_unit: 6')
      const second = first.replace('requests_per_unit: 6', 'requests_per_unit: 7')
      await text.fill(first)
      await page.getByRole('list', { name: 'Rules that change' }).getByText('shop.login').waitFor()
      let publish = () => {}
      await page.route('**/config/files', async (route) => {
        if (route.request().method() === 'PUT') await new Promise<void>((resolve) => (publish = resolve))
        await route.continue()
      })
      await page.getByRole('button', { name: 'Publish' }).click()
      const sent = page.waitForRequest((request) => request.method() === 'PUT')
      await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
      await sent
      await text.fill(second)
      publish()
      await page.getByRole('button', { name: 'Go on with the draft' }).click()
      await expect.poll(() => text.inputValue()).toBe(second)
      await page.getByRole('button', { name: 'Discard changes' }).click()
    })
    await server.operate('PUT', '/config/files', { files: { 'config.shop.yaml': shopRules } })
  })

  it('shows in the form the question that Back leads to', async () => {
    await visit('/console/ratelimit/ask?domain=shop&entry=login%3Dmia', async (page) => {
      const value = page.getByLabel('Value of entry 1')
      await value.fill('leo')
      await page.getByRole('button', { name: 'Ask why' }).click()
      await expectAddress(page, 'search', '?domain=shop&entry=login%3Dleo')
      await page.goBack()
      await expect.poll(() => value.inputValue()).toBe('mia')
    })
  })

  it('shows decisions as they come, and their values hashed on demand', async () => {
    await visit('/console/ratelimit', async (page) => {
      const feed = page.getByRole('region', { name: 'Decisions as they come' })
      await page.getByText('live', { exact: true }).waitFor()
      await server.login('ada')
      await feed.getByText('shop login=ada').waitFor()
      await feed.getByRole('button', { name: 'Hash values' }).click()
      await expect
        .poll(async () => {
          await server.login('ada')
          return feed.getByText(/login=#[0-9a-f]{12}/).count()
        })
        .toBeGreaterThan(0)
    })
  })

  it('draws a bucket, windows, reserved hits and held places, each with the part that is used', async () => {
    await server.operate('PUT', '/config/files', {
      files: { 'config.shop.yaml': shopRules, 'config.algorithms.yaml': algorithms },
    })
    const reservation = (key: string) =>
      key === 'spend' || key === 'held' ? [{ key: 'sluice.reserve', value: 'call-1' }] : []
    for (const key of ['bucket', 'slide', 'month', 'spend', 'held']) {
      const entries = [{ key, value: 'mia' }, ...reservation(key)]
      const body = { domain: 'algorithms', descriptors: [{ entries, hits_addend: 3 }] }
      await (await fetch(`${server.url}/json`, { method: 'POST', body: JSON.stringify(body) })).text()
    }
    const pictures = [
      ['bucket', /^1 of 4 hits are in the bucket. One hit flows in every 1 min.$/],
      ['slide', /^3 of 4 hits count: those of the open window, and \d+ % of/],
      ['spend', /^3 of 8 hits count from 20/, /^0 hits are counted for good, 3 are reserved, of 8.$/],
      ['held', /^3 of 4 places are held. A holder that is lost gives its place back within 1 h.$/],
      ['month', /^3 of 4 hits count from 20\d\d-\d\d-\d\d \d\d:00:00 to/],
    ] as const
    for (const [key, drawn, ofSheet = drawn] of pictures) {
      const reserved = reservation(key).length === 0 ? '' : '&entry=sluice.reserve%3Dcall-2'
      const look = async (page: Page) => {
        const answer = page.getByRole('region', { name: 'Answer' })
        await answer.getByRole('img', { name: drawn }).waitFor()
        // Held places have no window.
        if (key === 'held') await answer.getByText(/A place is free within \d/).waitFor()
        await expectAccessible(page)
        await expectNoSidewaysScroll(page)
        await answer.getByRole('link', { name: 'Open the counter' }).click()
        await page.getByRole('complementary', { name: 'Counter' }).getByRole('img', { name: ofSheet }).waitFor()
        await expectAccessible(page)
      }
      const path = `/console/ratelimit/ask?domain=algorithms&entry=${key}%3Dmia${reserved}`
      await visit(path, look, { width: key === 'slide' ? 360 : 1280 })
    }
  })

  it.each(['/console/ratelimit', '/console/ratelimit/ask', '/console/ratelimit/rules', '/console/ratelimit/history'])(
    '%s fits a phone of 360 px, in dark, and axe-core finds nothing',
    async (path) => {
      const look = async (page: Page) => {
        await page.locator('main h1').waitFor()
        await page.locator('.skeleton').first().waitFor({ state: 'detached' })
        await expectNoSidewaysScroll(page)
        await expectAccessible(page)
      }
      await visit(path, look, { width: 360, theme: 'dark' })
    },
  )
})
