/** Common parts of the console's views: zoom, reduced motion, either time, files to keep, long tables. */

import type { BrowserContextOptions, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { concatBytes } from '#base/bytes.ts'
import { decodeUtf8 } from '#base/utf8.ts'
import { bundleConsole } from '#bin/bundle-console.ts'
import { startBundle } from '../support/bundle.ts'
import { chromiumPath, openContext, startBrowser } from '../support/chromium.ts'
import { expectNoSidewaysScroll } from '../support/console.ts'
import { host } from '../support/host.ts'

const vars = { ADMIN_TOKEN: 'admin', GRID_TOKEN: 'grid', STREAMNET_TOKEN: 'streams' }
const tokens = { ratelimit: 'admin', grid: 'grid', streamnet: 'streams' }
const rules = 'domain: shop\ndescriptors:\n  - {key: login, rate_limit: {unit: day, requests_per_unit: 2}}\n'

describe.skipIf(chromiumPath === null)('every view (skipped without Chromium)', () => {
  const bundle = host(async () => {
    await bundleConsole()
    return startBundle({ worker: 'index', rebuild: true, vars })
  })
  const browser = host(() => startBrowser())

  beforeAll(async () => {
    await send('/ratelimit/config/files', 'PUT', { files: { 'config.shop.yaml': rules } })
    for (let hit = 0; hit < 4; hit++) {
      const descriptors = [{ entries: [{ key: 'login', value: 'mia' }] }]
      await send('/json', 'POST', { domain: 'shop', descriptors })
    }
  })

  async function send(path: string, method: string, body: unknown): Promise<void> {
    const headers = { authorization: 'Bearer admin' }
    await (await fetch(bundle.url + path, { method, headers, body: JSON.stringify(body) })).text()
  }

  /** Opens a view in a separate context. */
  async function visit(
    path: string,
    look: (page: Page) => Promise<void>,
    options: BrowserContextOptions = {},
  ): Promise<void> {
    const context = await openContext(browser, options, tokens)
    try {
      const page = await context.newPage()
      await page.goto(bundle.url + path)
      await look(page)
    } finally {
      await context.close()
    }
  }

  it.each([
    '/',
    '/docs/grid',
    '/console/ratelimit',
    '/console/ratelimit/rules',
    '/console/grid?attacks=1',
    '/console/streams',
    '/console/streams/write',
  ])('%s needs no sideways scroll on a desktop at twice its size', async (path) => {
    // What zooming to 200 % gives a page on a screen of 1280 by 900.
    const zoomed = { viewport: { width: 640, height: 450 }, deviceScaleFactor: 2 }
    const look = async (page: Page) => {
      await page.locator('main h1').first().waitFor()
      await page.locator('.skeleton').first().waitFor({ state: 'detached' })
      await expectNoSidewaysScroll(page)
    }
    await visit(path, look, zoomed)
  })

  it.each([
    ['moves nothing for a person who prefers reduced motion', 'reduce', 0],
    ['moves what is live for every other person', 'no-preference', 1],
  ] as const)('%s', async (_, reducedMotion, least) => {
    const look = async (page: Page) => {
      await page.getByText('live', { exact: true }).waitFor()
      await page.keyboard.press('?')
      await page.getByRole('dialog', { name: 'Keys' }).waitFor()
      const moving = await page.evaluate(
        () =>
          [...document.querySelectorAll('*')].filter((element) => {
            const { animationName, transitionDuration } = getComputedStyle(element)
            return animationName !== 'none' || Number.parseFloat(transitionDuration) > 0
          }).length,
      )
      expect(Math.min(moving, 1)).toBe(least)
    }
    await visit('/console/ratelimit', look, { reducedMotion })
  })

  it('writes moments in UTC, or in local time where the person asks for it, and stays with that', async () => {
    // Five hours and forty-five minutes ahead of UTC.
    const look = async (page: Page) => {
      const clock = page.locator('.clock time')
      const minutes = async () => {
        const [hour = 0, minute = 0] = (await clock.innerText()).split(':').map(Number)
        const now = new Date()
        const utc = now.getUTCHours() * 60 + now.getUTCMinutes()
        // Ahead of UTC by so many minutes, give or take the one in which both are read.
        return Math.round(((hour * 60 + minute - utc + 1440) % 1440) / 5) * 5
      }
      await expect.poll(minutes).toBe(0)
      const revision = page.locator('.revisions p').first()
      const inUtc = await revision.innerText()
      await page.getByRole('button', { name: /switch between UTC and local time/ }).click()
      await expect.poll(minutes).toBe(345)
      expect(minuteOf(await revision.innerText())).toBe((minuteOf(inUtc) + 345) % 1440)
      await page.reload()
      await expect.poll(minutes).toBe(345)
    }
    await visit('/console/ratelimit/history', look, { timezoneId: 'Asia/Kathmandu' })
  })

  it('saves a chart as CSV, SVG and PNG, and a table as CSV', async () => {
    await visit('/console/ratelimit', async (page) => {
      const keys = page.getByRole('region', { name: 'Keys, refused most' })
      await keys.getByText('login=mia').waitFor()
      const chart = 'Decisions per second, last 15 min'
      const csv = decodeUtf8(await save(page, `Save ${chart} as CSV`))
      const [head, ...lines] = csv.trimEnd().split('\r\n')
      expect(head).toBe('time,allowed,shadow,refused')
      const cells = lines.map((line) => line.split(','))
      expect(cells.every(([moment = '']) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:00\.000Z$/.test(moment))).toBe(true)
      const sums = [1, 2, 3].map((at) => cells.reduce((sum, row) => sum + Number(row[at]), 0))
      expect(sums.map((sum) => sum > 0)).toEqual([true, false, true])
      const svg = decodeUtf8(await save(page, `Save ${chart} as SVG`))
      // A page without the console's policy, which lets no script parse a document.
      const elsewhere = await page.context().newPage()
      const drawn = await elsewhere.evaluate((text) => {
        const root = new DOMParser().parseFromString(text, 'image/svg+xml').documentElement
        return [root.nodeName, root.querySelectorAll('path[fill]').length > 0]
      }, svg)
      await elsewhere.close()
      expect(drawn).toEqual(['svg', true])
      const png = await save(page, `Save ${chart} as PNG`)
      expect([...png.subarray(0, 8)]).toEqual([137, 80, 78, 71, 13, 10, 26, 10])
      const table = decodeUtf8(await save(page, 'Save Keys that are refused most as CSV'))
      expect(table).toBe('Entries,Rule,Refused,Used\r\nlogin=mia,shop.login,2,4\r\n')
    })
  })

  it('draws a few rows of a table of ten thousand, wherever it is scrolled to', async () => {
    const streams = Array.from({ length: 10_000 }, (_, index) => ({
      stream_id: `st${index.toString(16).padStart(30, '0')}`,
      data_provider: `0x${'1'.repeat(40)}`,
      stream_type: 'primitive',
      created_at: index + 1,
    }))
    await visit('/', async (page) => {
      await page.route('**/list_streams?*', (route) => route.fulfill({ json: { result: streams } }))
      await page.route('**/get_last_record?*', (route) => route.fulfill({ json: { result: null } }))
      await page.goto(`${bundle.url}/console/streams`)
      await page.getByText('10000 rows').waitFor()
      const rows = page.locator('main tbody tr')
      expect(await rows.count()).toBeLessThan(60)
      const frame = page.getByRole('region', { name: 'Streams', exact: true })
      for (const [part, index] of [
        [1, 9_999],
        [0.5, 5_000],
      ] as const) {
        await frame.evaluate((element, at) => {
          element.scrollTop = (element.scrollHeight - element.clientHeight) * at
        }, part)
        await page.locator(`tr[aria-rowindex="${index + 2}"]`).waitFor()
        expect(await rows.count()).toBeLessThan(60)
      }
      // Far fewer rows than were scrolled over are there at once.
      const found = await page.getByRole('searchbox').evaluate(async (input: HTMLInputElement) => {
        input.value = 'ff'
        input.dispatchEvent(new Event('input', { bubbles: true }))
        for (let frame = 0; frame < 4; frame++) await new Promise(requestAnimationFrame)
        return document.querySelectorAll('main tr[aria-rowindex]').length
      })
      expect(found).toBeGreaterThanOrEqual(18)
    })
  })

  it('sorts and saves only the columns whose values a table has', async () => {
    const stream = {
      stream_id: `st${'0'.repeat(30)}`,
      data_provider: `0x${'1'.repeat(40)}`,
      stream_type: 'primitive',
      created_at: 7,
    }
    await visit('/', async (page) => {
      await page.route('**/list_streams?*', (route) => route.fulfill({ json: { result: [stream] } }))
      await page.route('**/get_records?*', (route) => route.fulfill({ json: { result: [] } }))
      await page.goto(`${bundle.url}/console/streams`)
      const heads = page.locator('main thead th')
      await heads.first().waitFor()
      expect(await heads.allInnerTexts()).toHaveLength(7)
      expect(await heads.getByRole('button').allInnerTexts()).toEqual(['Stream', 'Owner', 'Type', 'Block'])
      const table = decodeUtf8(await save(page, 'Save Streams as CSV'))
      expect(table).toBe(`Stream,Owner,Type,Block\r\n${stream.stream_id},${stream.data_provider},primitive,7\r\n`)
    })
  })
})

/** The minute of the day of the first moment in a text. */
function minuteOf(text: string): number {
  const [, hour, minute] = / (\d\d):(\d\d):\d\d/.exec(text) ?? []
  return Number(hour) * 60 + Number(minute)
}

/** The file that a button gives to the person. */
async function save(page: Page, button: string): Promise<Uint8Array> {
  const saving = page.waitForEvent('download')
  await page.getByRole('button', { name: button }).click()
  const chunks: Uint8Array[] = []
  for await (const chunk of await (await saving).createReadStream()) chunks.push(chunk)
  return concatBytes(...chunks)
}
