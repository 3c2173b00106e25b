/** The grid room in Chromium: a stealthy attack parts belief from truth, and every view can be used by everybody. */

import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleConsole } from '../../bin/bundle-console.ts'
import { type RunningBundle, startBundle } from '../support/bundle.ts'
import {
  type ConsolePage,
  chromiumPath,
  expectAccessible,
  expectNoSidewaysScroll,
  openConsole,
  type PageOptions,
  startBrowser,
} from '../support/console.ts'
import { gridClient, gridToken } from '../support/grid-service.ts'

const tokens = { grid: gridToken }

describe.skipIf(chromiumPath === null)('the grid room (skipped without Chromium)', () => {
  let bundle: RunningBundle
  let browser: Browser

  beforeAll(async () => {
    await bundleConsole()
    bundle = await startBundle({ worker: 'index', rebuild: true, vars: { GRID_TOKEN: gridToken } })
    browser = await startBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await bundle?.stop()
  })

  /** Opens a view; at the end nothing may have gone wrong in it, and nothing have left the machine. */
  async function visit(
    path: string,
    look: (page: ConsolePage['page']) => Promise<void>,
    options: PageOptions = {},
  ): Promise<void> {
    const opened = await openConsole(browser, bundle.url, path, { tokens, ...options })
    try {
      await look(opened.page)
      expect([opened.faults, opened.foreign]).toEqual([[], []])
    } finally {
      await opened.close()
    }
  }

  it('shows truth and estimate part under a stealthy attack, and meet again when it ends', async () => {
    await visit('/console/grid?show=difference&attacks=1', async (page) => {
      await page.getByLabel('bus', { exact: true }).fill('900')
      await page.getByRole('button', { name: 'Enable FDI_STEALTH' }).click()
      await page.getByText(/"bus" is 900/).waitFor()
      await page.getByLabel('bus', { exact: true }).fill('9')
      await page.getByRole('button', { name: 'Enable FDI_STEALTH' }).click()
      await page.getByText(/messages seen, [1-9]\d* changed/).waitFor()
      const parted = () => page.locator('.comparison tr.bad th').allTextContents()
      await expect.poll(parted).toEqual(['9'])
      expect(await page.locator('.halo.bad').count()).toBe(1)
      await page.getByRole('button', { name: 'End FDI_STEALTH' }).click()
      await page.getByText('No attack is on').waitFor()
      await expect.poll(() => page.locator('.halo').count()).toBe(0)
    })
  })

  it('opens an incident to its octets, fields, technique and downloads', async () => {
    const client = gridClient(bundle.url)
    await client.enable('SCALE')
    await visit('/console/grid', async (page) => {
      await page.locator('.panel tbody th button').first().click()
      await page.getByRole('heading', { name: /fields? differ/ }).waitFor()
      expect(await page.locator('.octets mark').count()).toBeGreaterThan(1)
      expect(await page.locator('.fields-table tbody tr').count()).toBeGreaterThan(0)
      expect(await page.getByRole('link', { name: /T1692.002/ }).getAttribute('href')).toBe(
        'https://attack.mitre.org/techniques/T1692/002/',
      )
      const saving = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Save incidents (STIX)' }).click()
      expect((await saving).suggestedFilename()).toBe('incidents.stix.json')
      await expectAccessible(page)
    })
    await client.post('/attack/disable')
  })

  it('opens a breaker by the keyboard, and the diagram shows it', async () => {
    await visit('/console/grid', async (page) => {
      const breaker = page.getByRole('button', { name: /Breaker CB-6-12 is/ })
      await breaker.focus()
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'Breaker CB-6-12 is open' }).waitFor()
      expect(await page.locator('.breaker.open').count()).toBe(1)
      await breaker.focus()
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'Breaker CB-6-12 is closed' }).waitFor()
    })
  })

  it('names no attack in the trainee view', async () => {
    const client = gridClient(bundle.url)
    await client.enable('SCALE')
    await visit('/console/grid?trainee=1', async (page) => {
      await page.locator('.panel tbody tr').nth(2).waitFor()
      expect(await page.locator('main').innerText()).not.toMatch(/SCALE|attack|True\b|T1692/i)
      await expectAccessible(page)
    })
    await client.post('/attack/disable')
  })

  it.each([
    ['a desktop in light', {}],
    ['a phone in dark', { width: 360, theme: 'dark' }],
  ] as const)(
    'has views that axe-core finds nothing in, without sideways scroll, on %s',
    async (_, options) => {
      for (const query of ['', '?show=difference', '?show=measured&bus=4', '?attacks=1']) {
        await visit(
          `/console/grid${query}`,
          async (page) => {
            await page.locator('.one-line').waitFor()
            if (query === '?attacks=1') await page.getByRole('button', { name: /^Enable/ }).waitFor()
            await expectAccessible(page)
            await expectNoSidewaysScroll(page)
          },
          options,
        )
      }
    },
  )

  it('stays bounded and answers under a flood of incidents', async () => {
    const flood = Array.from({ length: 10_000 }, (_, index) => {
      const data = {
        id: `f${index}`,
        timestamp: 1.7e9 + index / 1000,
        severity: 'HIGH',
        protocol: 'DNP3',
        description: 'x',
      }
      return `event: incident\nid: 00000000-${index + 1}\ndata: ${JSON.stringify(data)}\n\n`
    }).join('')
    const opened = await openConsole(browser, bundle.url, '/', { tokens })
    try {
      const { page } = opened
      await page.route('**/events?*', (route) =>
        route.fulfill({ contentType: 'text/event-stream', body: flood }),
      )
      await page.goto(`${bundle.url}/console/grid`)
      // The stream ends and is opened again: the flood comes several times.
      const heard = async () =>
        Number(/(\d+) were heard/.exec(await page.locator('main').innerText())?.[1] ?? 0)
      await expect.poll(heard).toBeGreaterThanOrEqual(30_000)
      expect(await page.locator('main tr').count()).toBeLessThan(80)
      expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(3_000)
      await page.getByRole('button', { name: 'Estimated' }).click()
      await expect.poll(() => page.url()).toContain('show=estimated')
      expect(opened.faults).toEqual([])
    } finally {
      await opened.close()
    }
  })
})
