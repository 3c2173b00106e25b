/** The grid room in Chromium: a stealthy attack parts belief from truth, and every view is accessible. */

import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { concatBytes } from '#base/bytes.ts'
import { decodeUtf8 } from '#base/utf8.ts'
import { bundleConsole } from '#bin/bundle-console.ts'
import { readCapture } from '#grid/export/read-capture.ts'
import { startBundle } from '../support/bundle.ts'
import { chromiumPath, startBrowser } from '../support/chromium.ts'
import {
  addressOf,
  expectAccessible,
  expectAddress,
  expectNoSidewaysScroll,
  openConsole,
  type PageOptions,
  startMortalServer,
  visitConsole,
} from '../support/console.ts'
import { createSimulations, gridClient, gridToken } from '../support/grid-service.ts'
import { host } from '../support/host.ts'

const tokens = { grid: gridToken }

describe.skipIf(chromiumPath === null)('the grid room (skipped without Chromium)', () => {
  const bundle = host(async () => {
    await bundleConsole()
    return startBundle({ worker: 'index', rebuild: true, vars: { GRID_TOKEN: gridToken } })
  })
  const browser = host(() => startBrowser())

  const visit = (path: string, look: (page: Page) => Promise<void>, options: PageOptions = {}) =>
    visitConsole(browser, bundle.url, path, look, { tokens, ...options })

  /** The file that a button gives to the person. */
  async function save(page: Page, button: string) {
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: button }).click()
    const download = await saving
    const chunks: Uint8Array[] = []
    for await (const chunk of await download.createReadStream()) chunks.push(chunk)
    return { name: download.suggestedFilename(), bytes: concatBytes(...chunks) }
  }

  it('shows that truth and estimate part under a stealthy attack, and meet again at its end', async () => {
    await visit('/console/grid?show=difference&attacks=1', async (page) => {
      const bus = page.getByLabel('Bus', { exact: true })
      await page.getByText(/^1 to 14; \d+ when empty$/).waitFor()
      await bus.fill('900')
      await page.getByRole('button', { name: 'Enable FDI_STEALTH' }).click()
      await page
        .locator('.field', { has: bus })
        .getByText(/"bus" is 900/)
        .waitFor()
      await expect.poll(() => bus.getAttribute('aria-invalid')).toBe('true')
      // A field with nothing but blanks counts as empty.
      await page.route('**/attack/enable', (route) => route.fulfill({ json: {} }))
      const sent = page.waitForRequest('**/attack/enable')
      await bus.fill(' ')
      await page.getByRole('button', { name: 'Enable FDI_STEALTH' }).click()
      expect((await sent).postDataJSON().params).toEqual({})
      await page.unroute('**/attack/enable')
      await bus.fill('9')
      await page.getByRole('button', { name: 'Enable FDI_STEALTH' }).click()
      await page.getByText(/messages seen, [1-9]\d* changed/).waitFor()
      const parted = () => page.locator('.comparison tr.bad th').allTextContents()
      await expect.poll(parted).toEqual(['9'])
      await expect.poll(() => page.locator('.halo.bad').count()).toBe(1)
      await page.getByRole('button', { name: 'End FDI_STEALTH' }).click()
      await page.getByText('No attack is on').waitFor()
      await expect.poll(() => page.locator('.halo').count()).toBe(0)
    })
  })

  it('opens an incident to its octets, fields, technique and downloads', async () => {
    const client = gridClient(bundle.url)
    await client.enable('SCALE')
    await visit('/console/grid', async (page) => {
      const list = page.getByRole('table', { name: 'Incidents by time' })
      // New rows come in front of the others, and none while one of them is aimed at.
      const held = page.getByText(/^\d+ rows?, held while you are in the list$/)
      await list.locator('thead').hover()
      const before = await held.innerText()
      const newest = async () => (await client.incidents()).at(-1)?.id
      const last = await newest()
      await expect.poll(newest).not.toBe(last)
      expect(await held.innerText()).toBe(before)
      await page.mouse.move(0, 0)
      await held.waitFor({ state: 'detached' })
      const count = async () => Number.parseInt(await page.getByText(/^\d+ rows?$/).innerText(), 10)
      await expect.poll(count).toBeGreaterThan(Number.parseInt(before, 10))
      await list.locator('thead').hover()
      await held.waitFor()
      await list.locator('tbody th button').first().click()
      await page.getByRole('heading', { name: /fields? differ/ }).waitFor()
      // Moments are in UTC or in local time, as the clock of the page says.
      expect(await page.locator('.sheet').innerText()).not.toContain('UTC')
      await expect.poll(() => page.locator('.octets mark').count()).toBeGreaterThan(1)
      await page.locator('.fields-table tbody tr').first().waitFor()
      expect(await page.getByRole('link', { name: /T1692.002/ }).getAttribute('href')).toBe(
        'https://attack.mitre.org/techniques/T1692/002/',
      )
      await expectAddress(page, 'search', /[?&]incident=/)
      const id = (await addressOf(page)).searchParams.get('incident')
      const stix = await save(page, 'Save incident (STIX)')
      expect(stix.name).toBe(`incident-${id}.stix.json`)
      const { objects }: { objects: readonly { type: string }[] } = JSON.parse(decodeUtf8(stix.bytes))
      expect(objects.filter(({ type }) => type === 'observed-data')).toHaveLength(1)
      const around = await save(page, 'Save 2 s before and after (pcapng)')
      expect(around.name).toBe(`incident-${id}.pcapng`)
      const times = readCapture(around.bytes).map(({ timeUs }) => timeUs)
      expect(Math.max(...times) - Math.min(...times)).toBeLessThanOrEqual(4_100_000)
      expect((await save(page, 'Save latest incidents (STIX)')).name).toBe('incidents.stix.json')
      await expectAccessible(page)
    })
    await client.post('/attack/disable')
  })

  it('goes back from an incident and from the attacks to the room, and keeps other choices', async () => {
    const client = gridClient(bundle.url)
    await client.enable('SCALE')
    const look = async (page: Page) => {
      await page.getByRole('navigation', { name: 'Rooms' }).getByRole('link', { name: 'Grid' }).click()
      const list = page.getByRole('table', { name: 'Incidents by time' })
      await list.locator('tbody th button').first().click()
      const sheet = page.getByRole('complementary', { name: /^Incident / })
      await sheet.waitFor()
      await page.goBack()
      await sheet.waitFor({ state: 'detached' })
      await expectAddress(page, 'pathname', '/console/grid')
      await page.getByRole('button', { name: 'Attacks' }).click()
      const attacks = page.getByRole('complementary', { name: 'Attacks' })
      await attacks.waitFor()
      await page.getByRole('button', { name: 'Measured' }).click()
      await attacks.getByRole('button', { name: 'Close Attacks' }).click()
      await attacks.waitFor({ state: 'detached' })
      await expectAddress(page, 'search', '?show=measured')
      await page.goBack()
      await page.getByRole('heading', { name: 'Sluice grid' }).or(page.getByText('services run on')).waitFor()
    }
    await visit('/', look)
    await client.post('/attack/disable')
  })

  it('shows topologies and messages that an outside simulator sends in other forms', async () => {
    await createSimulations(bundle.url, ['outside'])
    const client = gridClient(bundle.url, 'outside')
    await client.post('/sim/config', { mode: 'external' })
    const node = { id: 'A', node_type: 'PMU', ip: '10.0.0.1', mac: { a: 1 } }
    await client.post('/ingest/topology', { nodes: [node], links: [], grid: { title: 'x' } })
    const packet = {
      timestamp: Date.now() / 1000,
      protocol: 'constructor',
      status: 'attacked',
      src: '10.0.0.1:7',
      original_val: { raw_hex: { a: [null] }, list: [{}, []] },
      modified_val: { raw_hex: 'zz"', q: null },
    }
    await client.post('/ingest/packets', { source: 'lab', seq: 1, packets: [packet] })
    const [incident] = await client.incidents()
    const place = '/console/grid?simulation=outside'
    await visit(`${place}&incident=${incident?.id}`, async (page) => {
      await page.getByText('An outside simulator drives this session').waitFor()
      await page.getByText('Its octets were not recorded.').waitFor()
      await expectAccessible(page)
    })
    await visit(`${place}&trainee=1`, async (page) => {
      await page.getByText('10.0.0.1:7').waitFor()
    })
  })

  it('opens a breaker by the keyboard, and the diagram shows it', async () => {
    await visit('/console/grid', async (page) => {
      const breaker = page.getByRole('button', { name: /Breaker CB-6-12 is/ })
      await breaker.focus()
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'Breaker CB-6-12 is open' }).waitFor()
      await expect.poll(() => page.locator('.breaker.open').count()).toBe(1)
      await breaker.focus()
      await page.keyboard.press('Space')
      await page.getByRole('button', { name: 'Breaker CB-6-12 is closed' }).waitFor()
    })
  })

  it('reads again on demand what failed: its grid, and the library of exercises', async () => {
    const look = async (page: Page) => {
      const parts = /\/(topology|scenarios)$/
      await page.route(parts, (route) => route.fulfill({ status: 500, json: { error: { message: 'broken' } } }))
      await page.goto(`${bundle.url}/console/grid?exercise=1`)
      const again = page.getByRole('button', { name: 'Try again' })
      await expect.poll(() => again.count()).toBe(2)
      await page.unroute(parts)
      await again.last().click()
      await page
        .getByRole('button', { name: /^Play / })
        .first()
        .waitFor()
      await again.click()
      await page.locator('.one-line').waitFor()
    }
    await visit('/', look)
  })

  it('enlarges 118 buses until their names can be read, on a phone too, and moves without switching', async () => {
    await createSimulations(bundle.url, ['large'])
    await gridClient(bundle.url, 'large').post('/sim/config', { case: 'case118' })
    for (const width of [360, 1280]) {
      const look = async (page: Page) => {
        const name = page.locator('.bus-label .name').first()
        await name.waitFor()
        const enlarge = page.getByRole('button', { name: 'Enlarge the diagram' })
        while (await enlarge.isEnabled()) await enlarge.click()
        expect((await name.boundingBox())?.height).toBeGreaterThan(10)
        await expectAccessible(page)
        await expectNoSidewaysScroll(page)
        const breaker = page.getByRole('button', { name: 'Breaker CB-49-54 is closed' })
        await breaker.scrollIntoViewIfNeeded()
        const before = await breaker.boundingBox()
        if (before === null) throw new Error('The breaker is not drawn')
        const [x, y] = [before.x + before.width / 2, before.y + before.height / 2]
        await page.mouse.move(x, y)
        await page.mouse.down()
        await page.mouse.move(x + 40, y + 30, { steps: 4 })
        await page.mouse.up()
        const after = await breaker.boundingBox()
        expect([(after?.x ?? 0) - before.x, (after?.y ?? 0) - before.y].some((by) => by > 20)).toBe(true)
        await page.getByRole('button', { name: 'Show more of the diagram' }).click()
        expect(await page.locator('.breaker.open').count()).toBe(0)
      }
      await visit('/console/grid?simulation=large', look, { width })
    }
  })

  it('ends a blackout: a refused machine says why, a black start and connected load bring the grid back', async () => {
    await createSimulations(bundle.url, ['dark'])
    const client = gridClient(bundle.url, 'dark')
    await client.post('/sim/config', { restoration: 'operator', load_noise: 0 })
    for (const bus of [1, 2, 3]) await client.post('/grid/generator', { bus, connected: false })
    await visit('/console/grid?simulation=dark', async (page) => {
      const panel = page.getByRole('region', { name: 'Restoration' })
      await panel.getByRole('button', { name: 'Connect the machine at bus 3' }).click()
      await panel.getByText('bus 3 is dead, and only the machines at bus 1 and 2 start').waitFor()
      await expectAccessible(page)
      await panel.getByRole('button', { name: 'Connect the machine at bus 1' }).click()
      await panel.getByText('Machine at bus 1 is off').waitFor({ state: 'detached' })
      await panel.getByRole('button', { name: 'Connect the load at bus 14' }).click()
      await panel.getByText('of the load at bus 14 is disconnected').waitFor({ state: 'detached' })
      await panel.getByRole('button', { name: 'Connect the machine at bus 2' }).click()
      await panel.getByText('Machine at bus 2 is off').waitFor({ state: 'detached' })
      await panel.getByRole('button', { name: 'Connect the machine at bus 3' }).click()
      await client.post('/sim/speed', { speed: 60 })
      const connect = panel.getByRole('button', { name: 'Connect the load at bus' }).first()
      const isOver = async () => {
        // The frequency may shed again what came back too early.
        await connect.click({ timeout: 1_000 }).catch(() => undefined)
        return (await panel.count()) === 0
      }
      await expect.poll(isOver, { timeout: 100_000 }).toBe(true)
    })
    const { truth } = await (await client.get('/grid/view')).json()
    expect(truth.served_mw).toBeCloseTo(truth.load_mw, 1)
  })

  it('moves the tap of a transformer by a step, and shows where it is', async () => {
    await createSimulations(bundle.url, ['taps'])
    await visit('/console/grid?simulation=taps', async (page) => {
      const panel = page.getByRole('region', { name: 'Transformers' })
      await panel.getByRole('button', { name: 'Raise the voltage behind 4-9' }).click()
      await panel.getByText('Tap of 4-9 at step -1').waitFor()
      await expectAccessible(page)
    })
  })

  it('shows a trainee every message that arrived, names no attack, and asks for none', async () => {
    const client = gridClient(bundle.url)
    await client.enable('SCALE')
    await expect.poll(async () => (await client.incidents()).some(({ status }) => status === 'attacked')).toBe(true)
    const [attacked] = (await client.incidents()).filter(({ status }) => status === 'attacked')
    // Not from the first page, which asks which attacks are on.
    await visit('/console/grid?trainee=1', async (page) => {
      const asked: string[] = []
      page.on('request', (request) => asked.push(request.url().slice(bundle.url.length)))
      await page.goto(`${bundle.url}/console/grid?trainee=1&attacks=1&incident=${attacked?.id}`)
      const messages = page.getByRole('region', { name: 'Messages', exact: true })
      await messages.locator('tbody tr').nth(8).waitFor()
      // Only measurements and commands of one protocol are attacked: what else is there is not.
      const protocols = () => messages.locator('tbody td:nth-child(3)').allInnerTexts()
      await expect.poll(async () => new Set(await protocols()).size).toBeGreaterThan(1)
      await messages
        .getByText(/Control centre/)
        .first()
        .waitFor()
      expect(await page.locator('.strip, .sheet').count()).toBe(0)
      expect(await page.locator('main').innerText()).not.toMatch(/SCALE|attack|True\b|T1692/i)
      const saving = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Save what arrived (pcap)' }).click()
      expect((await saving).suggestedFilename()).toBe('capture.pcap')
      expect(
        asked.filter((path) => /attacks|incident|labels|pcapng|stix/.test(path.replace(/^\/console\S*/, ''))),
      ).toEqual([])
      await expectAccessible(page)
      await expectNoSidewaysScroll(page)
    })
    await client.post('/attack/disable')
  })

  it('shows breakers that switched and a session that began while the server was away', async () => {
    await createSimulations(bundle.url, ['mortal'])
    const client = gridClient(bundle.url, 'mortal')
    const server = await startMortalServer(bundle.url)
    const { page, faults, close } = await openConsole(browser, server.url, '/console/grid?simulation=mortal', {
      tokens,
    })
    await page.getByRole('button', { name: 'Breaker CB-6-12 is closed' }).waitFor()
    await page.getByText('live', { exact: true }).waitFor()
    await server.die()
    await page.getByText('no connection').waitFor()
    await page.getByText('reconnecting').waitFor()
    await client.post('/grid/breaker', { breaker: 'CB-6-12', closed: false })
    await server.comeBack()
    await page.getByText('live', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Breaker CB-6-12 is open' }).waitFor()
    await server.die()
    await page.getByText('reconnecting').waitFor()
    await client.post('/sim/config', { case: 'case9' })
    await server.comeBack()
    // The stream of the new session does not say that the other one ended.
    await expect.poll(() => page.getByRole('button', { name: /^Breaker / }).count()).toBe(9)
    expect(faults).toEqual([])
    await close()
    await server.stop()
  })

  it.each([
    ['a desktop in light', {}],
    ['a phone in dark', { width: 360, theme: 'dark' }],
  ] as const)('has views that axe-core finds nothing in, without sideways scroll, on %s', async (_, options) => {
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
  })

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
      await page.route('**/events?*', (route) => route.fulfill({ contentType: 'text/event-stream', body: flood }))
      await page.goto(`${bundle.url}/console/grid`)
      // The stream ends and is opened again: the flood comes several times.
      const heard = async () => Number(/(\d+) arrived;/.exec(await page.locator('main').innerText())?.[1] ?? 0)
      await expect.poll(heard).toBeGreaterThanOrEqual(30_000)
      expect(await page.locator('main tr').count()).toBeLessThan(80)
      expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(3_000)
      await page.getByRole('button', { name: 'Estimated' }).click()
      await expectAddress(page, 'search', /[?&]show=estimated/)
      expect(opened.faults).toEqual([])
    } finally {
      await opened.close()
    }
  })
})
