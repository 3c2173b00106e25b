/** The streams room in Chromium: a record that is published moves the chart; mistakes are shown at their fields. */

import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleConsole } from '#bin/bundle-console.ts'
import { generateStreamId } from '#streamnet/index.ts'
import { operatorToken } from '../support/bundle.ts'
import { chromiumPath, startBrowser } from '../support/chromium.ts'
import {
  expectAccessible,
  expectAddress,
  expectNoSidewaysScroll,
  openConsole,
  type PageOptions,
  startMortalServer,
  visitConsole,
} from '../support/console.ts'
import { fullToken, gatewayAddress, operateNode, type RunningGateway, startGateway } from '../support/gateway-bundle.ts'

const tokens = { streamnet: fullToken }
const streamId = generateStreamId('watched in a browser')
const movingId = generateStreamId('moves in a list')

describe.skipIf(chromiumPath === null)('the streams room (skipped without Chromium)', () => {
  let gateway: RunningGateway
  let browser: Browser

  beforeAll(async () => {
    await bundleConsole()
    gateway = await startGateway({ worker: 'index', rebuild: true, vars: { STREAMNET_ADMIN_TOKEN: operatorToken } })
    await operateNode(gateway, operatorToken, 'dev.loadSeedNetwork', {})
    await gateway.run('deploy_stream', { stream_id: streamId, stream_type: 'primitive' })
    await gateway.run('deploy_stream', { stream_id: movingId, stream_type: 'primitive' })
    const records = [
      { date: 1_700_000_000, value: '10' },
      { date: 1_700_086_400, value: '11' },
    ]
    await gateway.run('insert_records', { stream_id: streamId, records })
    browser = await startBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await gateway?.stop()
  })

  const visit = (path: string, look: (page: Page) => Promise<void>, options: PageOptions = {}) =>
    visitConsole(browser, gateway.url, path, look, { tokens, ...options })

  const place = `/console/streams/${gatewayAddress}/${streamId}`
  const line = (page: Page) => page.locator('.chart .line').last().getAttribute('d')

  it('shows in the list the stream that moves', async () => {
    await visit('/console/streams', async (page) => {
      const row = page.locator('tbody tr').filter({ hasText: streamId })
      await row.getByText('11.00').waitFor()
      await row.getByText('2023-11-15').waitFor()
      const moving = page.locator('tbody tr').filter({ hasText: movingId })
      await moving.getByText('no records').waitFor()
      const record = { date: Math.floor(Date.now() / 1000), value: '12' }
      await gateway.run('insert_record', { stream_id: movingId, record })
      await moving.getByText('12.00').waitFor()
      await moving.getByText(/^\d+ (s|min)( \d+ s)? ago$/).waitFor()
    })
  })

  it('moves the chart when a record is published, on this page and on another that is open', async () => {
    await visit(place, async (page) => {
      await page.getByText('value 11.00').waitFor()
      const before = await line(page)
      await visit(place, async (other) => {
        await other.getByText('value 11.00').waitFor()
        await page.getByLabel('Date', { exact: true }).fill('2023-11-17')
        await page.getByLabel('Value', { exact: true }).fill('not a number')
        await page.getByRole('button', { name: 'Publish record' }).click()
        await page.getByText('expected a number or decimal text').waitFor()
        await page.getByLabel('Value', { exact: true }).fill('14.5')
        await page.getByRole('button', { name: 'Publish record' }).click()
        await page.getByText('In a block').waitFor()
        await page.getByText('value 14.50').waitFor()
        // The other page knows it only from the event stream.
        await other.getByText('value 14.50').waitFor()
      })
      await expect.poll(() => line(page)).not.toBe(before)
    })
  })

  it('shows an index from a base date that is chosen in the chart, and the record as of a block', async () => {
    await visit(`${place}?as=index`, async (page) => {
      await page.getByText('Click the chart').waitFor()
      const slider = page.getByRole('slider')
      await slider.focus()
      for (let step = 0; step < 2; step++) await page.keyboard.press('ArrowLeft')
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: "Use the stream's base date" }).waitFor()
      await expectAddress(page, 'search', /[?&]base=17000/)
      await page.getByLabel('Compare with block').fill('1')
      await page.keyboard.press('Tab')
      await expectAddress(page, 'search', /[?&]height=1(&|$)/)
    })
  })

  it('shows the tree of a composed stream with the part of each child', async () => {
    await visit('/console/streams', async (page) => {
      await page.getByLabel('Filter streams').fill('composed')
      await page.locator('tbody th button').first().click()
      await page.locator('.tree .leaf').nth(2).waitFor()
      await page.locator('.tree').getByRole('link', { name: 'grocery-basket' }).waitFor()
      await page.locator('.tree').getByRole('link', { name: 'eggs' }).waitFor()
      await expect.poll(() => page.locator('.tree .part i').first().getAttribute('style')).toMatch(/width: [1-9]/)
      await expectAccessible(page)
    })
  })

  it('creates a stream, and explores the transaction that made it', async () => {
    await visit('/console/streams/write', async (page) => {
      await page.getByLabel('Name', { exact: true }).fill('made in a browser')
      await page.getByRole('button', { name: 'Create stream' }).click()
      await page.getByRole('heading', { name: 'made in a browser' }).waitFor()
      await page.getByText(generateStreamId('made in a browser')).waitFor()
      await page.goto(`${gateway.url}/console/streams/chain`)
      await page
        .getByRole('button', { name: /inserted 2 records into st\w+…\w+$/ })
        .first()
        .waitFor()
      await page
        .getByRole('button', { name: /ran create_stream/ })
        .first()
        .click()
      await page.getByRole('heading', { name: 'Payload, decoded' }).waitFor()
      await expect.poll(() => page.locator('pre').innerText()).toContain('"action": "create_stream"')
      await expectAccessible(page)
      const sheet = page.getByRole('complementary')
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      await sheet.getByRole('button', { name: 'Copy the hash' }).click()
      await sheet.getByText('Copied').waitFor()
      const hash = await page.evaluate(() => navigator.clipboard.readText())
      expect(hash).toMatch(/^[0-9a-f]{64}$/)
      // From the transaction to its block and back, and to the stream and the wallet that it names.
      await sheet.getByRole('link', { name: /^Block \d+$/ }).click()
      await sheet.getByRole('link', { name: /ran create_stream/ }).click()
      await expectAddress(page, 'search', `?tx=${hash}`)
      await sheet.getByRole('link', { name: 'made in a browser' }).click()
      await page.getByRole('heading', { name: 'made in a browser' }).waitFor()
      await page.goto(`${gateway.url}/console/streams/chain?tx=${hash}`)
      await sheet.getByRole('link', { name: /^0x/ }).first().click()
      await page.getByRole('heading', { name: /the gateway's own/ }).waitFor()
    })
  })

  it('names a stream for every reader, and another’s stream and the search for this browser', async () => {
    await visit(place, async (page) => {
      await page.getByLabel('Name of the stream').fill('price of watching')
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByRole('heading', { name: 'price of watching' }).waitFor()
    })
    await visit('/console/streams', async (page) => {
      await page.getByRole('button', { name: /^price of watching/ }).waitFor()
      await page.getByLabel('Filter streams').fill('milk')
      await page.getByRole('button', { name: /^milk/ }).click()
      await page.getByText('kept in this browser').waitFor()
      await page.getByLabel('Name of the stream').fill('oat drink')
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByRole('heading', { name: 'oat drink' }).waitFor()
      await page.reload()
      await page.getByRole('heading', { name: 'oat drink' }).waitFor()
      await page.keyboard.press('/')
      await page.keyboard.type('oat dr')
      await page.getByRole('dialog').getByText('oat drink').waitFor()
    })
  })

  it('publishes many records as a job, with progress, rate and time, and cancels another', async () => {
    const days = Array.from({ length: 1_500 }, (_, day) => `${1_600_000_000 + day}, ${day}`)
    await visit(`/console/streams/${gatewayAddress}/${movingId}`, async (page) => {
      const records = page.getByLabel('Records', { exact: true })
      await records.fill(`${days[0]}\nsoon, 3`)
      await page.getByText('line 2 is "soon, 3"').waitFor()
      for (const lines of [days.slice(0, 30), days]) {
        await records.fill(lines.join('\n'))
        await page.getByRole('button', { name: /^Publish [\d\s]+ records as a job$/ }).click()
        await page.getByRole('list', { name: 'Bulk insertions' }).waitFor()
        if (lines !== days) await page.goBack()
      }
      const jobs = page.getByRole('list', { name: 'Bulk insertions' }).getByRole('listitem')
      const small = jobs.filter({ hasText: 'of 30 records' })
      await small.getByText(/^30 of 30 records, [\d.]+ a second, took/).waitFor()
      await small.getByText('done').waitFor()
      const large = jobs.filter({ hasText: /of 1.500 records/ })
      await large.getByText(/of 1.500 records, [\d.]+ a second, .* left/).waitFor()
      await expectAccessible(page)
      await large.getByRole('button', { name: /^Cancel job/ }).click()
      await large.getByText('cancelled').waitFor()
    })
  })

  it('shows transactions of others as their blocks come, on the chain and on the first page', async () => {
    const record = { date: 1_700_400_000, value: '13' }
    const { result } = (await gateway.call('/blocks?limit=1')).body
    const next = result.height + 1
    await visit('/console/streams/chain', async (page) => {
      await page.getByText(`The chain has ${result.height} blocks`).waitFor()
      await visit('/', async (first) => {
        await first.getByText(`${result.height} blocks`).waitFor()
        await gateway.run('insert_record', { stream_id: movingId, record })
        await page.getByText(`The chain has ${next} blocks`).waitFor()
        await page
          .getByRole('row', { name: String(next) })
          .first()
          .waitFor()
        await first.getByText(`${next} blocks`).waitFor()
        await first.getByRole('link', { name: /insert/ }).waitFor()
      })
    })
  })

  it('goes back from a transaction and a block to the chain', async () => {
    await visit('/console/streams', async (page) => {
      await page.getByRole('link', { name: 'Chain' }).click()
      await page.getByRole('table', { name: 'Transactions' }).locator('tbody th button').first().click()
      const transaction = page.getByRole('complementary', { name: 'Transaction' })
      await transaction.waitFor()
      await page.goBack()
      await transaction.waitFor({ state: 'detached' })
      await page.getByRole('link', { name: 'Open the newest block' }).click()
      const block = page.getByRole('complementary', { name: /^Block / })
      await block.waitFor()
      await page.goBack()
      await block.waitFor({ state: 'detached' })
      await expectAddress(page, 'href', `${gateway.url}/console/streams/chain`)
    })
  })

  it('shows records that were published while the server was away', async () => {
    const server = await startMortalServer(gateway.url)
    const { page, faults, close } = await openConsole(browser, server.url, place, { tokens })
    await page.getByText(/^value [\d.]+$/).waitFor()
    await page.getByText('live', { exact: true }).waitFor()
    await server.die()
    await page.getByText('no connection').waitFor()
    await page.getByText('reconnecting').waitFor()
    await gateway.run('insert_record', { stream_id: streamId, record: { date: 1_700_500_000, value: '99' } })
    expect(await page.getByText('value 99.00').count()).toBe(0)
    await server.comeBack()
    await page.getByText('live', { exact: true }).waitFor()
    await page.getByText('value 99.00').waitFor()
    expect(faults).toEqual([])
    await close()
    await server.stop()
  })

  it('shows the positions of a wallet in a market, that there are none, and that they cannot be read', async () => {
    const [order] = await gateway.run('get_order_book', { query_id: 1, outcome: true })
    await visit('/console/streams/markets/1', async (page) => {
      const positions = page.getByRole('region', { name: 'Positions of a wallet in market 1' })
      await positions.getByText('This wallet has no position in market 1').waitFor()
      await positions.getByLabel('Wallet').fill('0x12')
      await positions.getByText('expected 0x and 40 hex digits').waitFor()
      await positions.getByLabel('Wallet').fill(order.wallet_address)
      const held = positions.getByRole('table', { name: 'Positions' })
      await held.locator('tbody tr').first().waitFor()
      await expect.poll(() => held.locator('tbody').innerText()).toMatch(/offers to (buy|sell)/)
      const history = positions.getByRole('table', { name: 'History of orders' })
      await history.getByText('made a pair of shares').first().waitFor()
      // Newest first: the pair was made before a share of it was offered.
      const last = async () => (await history.locator('tbody tr').allInnerTexts()).at(-1)
      await expect.poll(last).toContain('made a pair of shares')
      await expectAccessible(page)
      await page.route('**/get_positions_by_wallet?*', (route) =>
        route.fulfill({ status: 502, json: { error: 'Cannot read: the node is away', hint: 'Try later' } }),
      )
      await positions.getByText('Cannot read: the node is away').waitFor()
      await page.unroute('**/get_positions_by_wallet?*')
      await positions.getByRole('button', { name: 'Try again' }).click()
      await positions.getByRole('alert').waitFor({ state: 'detached' })
    })
  })

  it('mines a block of the development node by the operator’s token only, and says where that token is', async () => {
    await visit('/console/streams/development', async (page) => {
      const mine = page.getByRole('button', { name: 'Mine', exact: true })
      await page.getByText(/Not needed once you are signed in by a link/).waitFor()
      await mine.click()
      await page.getByRole('alert').getByText('STREAMNET_ADMIN_TOKEN is missing').waitFor()
      await page.getByLabel("Operator's token").fill('wrong')
      await mine.click()
      await page.getByRole('alert').getByText('STREAMNET_ADMIN_TOKEN is wrong').waitFor()
      // The token of the gateway is another one, and good.
      expect(await page.getByText('STREAMNET_TOKEN').count()).toBe(0)
      await page.getByLabel("Operator's token").fill(operatorToken)
      await page.getByRole('textbox', { name: 'Blocks' }).fill('many')
      await mine.click()
      await page.getByText('expected a whole number, 1 at least').waitFor()
      const state = page.getByRole('region', { name: 'State of the node' })
      const readHeight = async () => Number((await state.getByRole('link').innerText()).replace(/\s/g, ''))
      const before = await readHeight()
      await page.getByRole('textbox', { name: 'Blocks' }).fill('2')
      await mine.click()
      await page.getByText(`done: block ${before + 2}`).waitFor()
      await expect.poll(readHeight).toBe(before + 2)
      await state.getByText('with every transaction').waitFor()
    })
  })

  it.each([
    ['a desktop in light', {}],
    ['a phone in dark', { width: 360, theme: 'dark' }],
  ] as const)('has views that axe-core finds nothing in, without sideways scroll, on %s', async (_, options) => {
    for (const path of [
      '',
      '/chain',
      '/markets/1',
      '/roles',
      '/wallets',
      '/write',
      '/jobs',
      '/development',
      place.slice('/console/streams'.length),
    ]) {
      await visit(
        `/console/streams${path}`,
        async (page) => {
          await page.locator('main :is(table, form, .chart, .empty, .job)').first().waitFor()
          await expectAccessible(page)
          await expectNoSidewaysScroll(page)
        },
        options,
      )
    }
  })
})
