/** The frame of the console in Chromium: signing in, keys, dialogs and Back, the first page, the search, the documents. */

import type { Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startBundle } from '../support/bundle.ts'
import { chromiumPath, startBrowser } from '../support/chromium.ts'
import {
  addressOf,
  expectAccessible,
  expectAddress,
  expectNoSidewaysScroll,
  type PageOptions,
  startMortalServer,
  visitConsole,
} from '../support/console.ts'
import { consoleVars, startConsoleServer, consoleTokens as tokens } from '../support/console-server.ts'
import { host } from '../support/host.ts'

describe.skipIf(chromiumPath === null)('the frame (skipped without Chromium)', () => {
  const server = host(startConsoleServer)
  const browser = host(() => startBrowser())
  const visit = (path: string, look: (page: Page) => Promise<void>, options: PageOptions = {}) =>
    visitConsole(browser, server.url, path, look, { tokens, ...options })

  it('says which token is wrong, and takes another', async () => {
    await visit(
      '/console/ratelimit',
      async (page) => {
        await page.getByRole('alert').getByText('ADMIN_TOKEN is wrong').waitFor()
        await page.getByRole('button', { name: 'Give tokens' }).click()
        await expectAccessible(page)
        await page.getByLabel('Rate limit: ADMIN_TOKEN').fill('admin')
        await page.getByRole('button', { name: 'Use these' }).click()
        await page.getByText('login=mia').first().waitFor()
        expect((await addressOf(page)).href).not.toContain('admin')
      },
      { tokens: { ratelimit: 'no' } },
    )
  })

  it('can be used with the keyboard only', async () => {
    await visit('/', async (page) => {
      await page.getByRole('heading', { name: 'Sluice', exact: true }).waitFor()
      await page.keyboard.press('Tab')
      await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to the view')
      await page.keyboard.press('Enter')
      await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('main')
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
    })
  })

  it('follows a stream, and says that it cannot copy, where the page came over plain HTTP from another machine', async () => {
    await visit('/console/streams/chain', async (page) => {
      // What a browser withholds there.
      await page.addInitScript(() => {
        Reflect.deleteProperty(Crypto.prototype, 'randomUUID')
        Reflect.deleteProperty(Navigator.prototype, 'clipboard')
      })
      await page.reload()
      await page.locator('.live').getByText('live', { exact: true }).waitFor()
      await page.getByRole('link', { name: 'Open the newest block' }).click()
      await page.getByRole('button', { name: 'Copy the hash' }).click()
      await page.getByText('Not copied').waitFor()
    })
  })

  it('shows the activity of each service on its first page', async () => {
    const headers = { authorization: 'Bearer grid' }
    const order = (path: string, body: object) =>
      fetch(`${server.url}/api/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    await order('sim/start', {})
    await order('attack/enable', { type: 'FDI_STEALTH', params: { bus: 9 } })
    await expect.poll(() => server.login('ann'), { interval: 1 }).toBe(429)
    await visit('/', async (page) => {
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
    })
    await order('sim/stop', {})
  })

  it('names the missing token on its first page', async () => {
    const given = { ratelimit: 'admin' }
    await visit(
      '/',
      async (page) => {
        const grid = page.getByRole('region', { name: 'Grid' })
        await grid.getByText('Give GRID_TOKEN with the button "Tokens" to see what it does now.').waitFor()
      },
      { tokens: given },
    )
  })

  it('finds names of rooms that were not opened, and lists the rooms that it cannot search', async () => {
    const given = { ratelimit: 'admin', grid: 'grid' }
    await visit(
      '/',
      async (page) => {
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
      },
      { tokens: given },
    )
  })

  it('goes back from a counter, a dialog and the search to the view, on a phone too', async () => {
    const options = { width: 360 }
    await visit(
      '/',
      async (page) => {
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
      },
      options,
    )
  })

  it.each([
    ['/', 'You are not signed in'],
    ['/console/ratelimit?key=shop.login', 'ADMIN_TOKEN is missing'],
    ['/console/ratelimit/rules', 'ADMIN_TOKEN is missing'],
    ['/console/grid?attacks=1', 'GRID_TOKEN is missing'],
    ['/console/streams/chain?block=1', 'STREAMNET_TOKEN is missing'],
  ])('%s says once that it is signed out, asks for one thing and shows nothing else', async (path, reason) => {
    await visit(
      path,
      async (page) => {
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
      },
      { tokens: {}, width: 360 },
    )
  })

  it('gives the keyboard to a dialog as soon as it is in the page, and takes it back at its end', async () => {
    await visit('/', async (page) => {
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
    })
  })

  it('takes a key that follows Escape at once', async () => {
    await visit('/', async (page) => {
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
    })
  })

  it('goes on after the server went and came back', async () => {
    const mortal = await startMortalServer(server.url)
    onTestFinished(mortal.stop)
    const look = async (page: Page) => {
      await page.getByText('live', { exact: true }).waitFor()
      await mortal.die()
      await page.getByText('no connection').waitFor()
      await page.getByText('reconnecting').waitFor()
      await mortal.comeBack()
      await page.getByText('live', { exact: true }).waitFor()
      await page.getByText('healthy', { exact: true }).waitFor()
      await server.login('zoe')
      await page.getByText('shop login=zoe').waitFor()
    }
    await visitConsole(browser, mortal.url, '/console/ratelimit', look, { tokens })
  })

  it.each(['ratelimit', 'grid', 'streams'])('shows the operations of %s, and tries one', async (name) => {
    await visit(`/docs/${name}`, async (page) => {
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
    })
  })

  it.each(['/', '/docs/ratelimit'])('%s fits a phone of 360 px, in dark, and axe-core finds nothing', async (path) => {
    const options = { width: 360, theme: 'dark' } as const
    await visit(
      path,
      async (page) => {
        await page.locator('main h1').waitFor()
        await page.locator('.skeleton').first().waitFor({ state: 'detached' })
        await expectNoSidewaysScroll(page)
        await expectAccessible(page)
      },
      options,
    )
  })

  it('shows the room of a Worker with one surface and no other', async () => {
    const alone = await startBundle({ worker: 'ratelimit', rebuild: true, hasPages: true, vars: consoleVars })
    onTestFinished(alone.stop)
    const look = async (page: Page) => {
      await page.getByRole('heading', { name: 'Sluice rate limit' }).waitFor()
      const rail = page.getByRole('navigation', { name: 'Rooms' })
      await expect.poll(() => rail.getByRole('link').allInnerTexts()).toEqual(['Home', 'Rate limit', 'Docs'])
      await rail.getByRole('link', { name: 'Rate limit' }).click()
      await page.getByText('No rules run').waitFor()
    }
    await visitConsole(browser, alone.url, '/', look, { tokens })
  })
})
