/** A market in Chromium from the question to the pay-out, with what the page says and nothing else. */

import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleConsole } from '#bin/bundle-console.ts'
import { operatorToken } from '../support/bundle.ts'
import { chromiumPath, startBrowser } from '../support/chromium.ts'
import { expectAccessible, expectNoSidewaysScroll, openConsole, type PageOptions } from '../support/console.ts'
import { fullToken, type RunningGateway, startGateway } from '../support/gateway-bundle.ts'

const daySeconds = 86_400
const tomorrow = new Date((Math.floor(Date.now() / 1000 / daySeconds) + 1) * daySeconds * 1000)
const dayAfter = tomorrow.toISOString().slice(0, 10)
const sentence = `Will eggs be above 3.20 on ${tomorrow.getUTCDate()} ${tomorrow.toLocaleString('en', { month: 'long', timeZone: 'UTC' })} ${tomorrow.getUTCFullYear()}?`

describe.skipIf(chromiumPath === null)('a market in the streams room (skipped without Chromium)', () => {
  let gateway: RunningGateway
  let browser: Browser

  beforeAll(async () => {
    await bundleConsole()
    gateway = await startGateway({
      worker: 'index',
      rebuild: true,
      vars: { STREAMNET_ADMIN_TOKEN: operatorToken, STREAMNET_AUTOMATIC_SETTLEMENT: 'false' },
    })
    browser = await startBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await gateway?.stop()
  })

  const open = (path: string, options: PageOptions = {}) =>
    openConsole(browser, gateway.url, path, { tokens: { streamnet: fullToken }, ...options })
  const tab = (page: Page, name: string) =>
    page.getByRole('navigation', { name: 'Views of the stream network' }).getByRole('link', { name }).click()
  const press = (part: Page | Locator, name: string | RegExp) => part.getByRole('button', { name }).click()

  /** Hides the tab, until the event streams are closed, or shows it again. */
  const see = async (page: Page, isSeen: boolean) => {
    const closed = isSeen
      ? undefined
      : page.waitForEvent('requestfailed', (one) => one.url().endsWith('/markets/1/events'))
    await page.evaluate((isHidden) => {
      Object.defineProperty(document, 'hidden', { value: isHidden, configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))
    }, !isSeen)
    await closed
  }

  it('is created, read, traded and settled with what the page says', async () => {
    const { page, faults, foreign, close } = await open('/console/streams')
    await tab(page, 'Create')
    await page.getByLabel('Name', { exact: true }).fill('eggs')
    await press(page, 'Create stream')
    await page.getByRole('heading', { name: 'eggs' }).waitFor()
    await page.getByLabel('Value', { exact: true }).fill('3.45')
    await press(page, 'Publish record')
    await page.getByText('In a block').waitFor()
    await page.getByRole('link', { name: 'Ask a question about this stream' }).click()

    // The page says that the wallet has nothing, and where test tokens are.
    const form = page.getByRole('region', { name: 'Ask a question' })
    await form.getByText('Too few TRUF').waitFor()
    await form.getByRole('link', { name: 'development tab' }).click()
    await page.getByLabel("Operator's token").fill(operatorToken)
    const faucet = page.getByRole('region', { name: 'Faucet' })
    for (const token of ['hoodi_tt', 'hoodi_tt2']) {
      await faucet.getByLabel('Token').selectOption(token)
      await faucet.getByLabel('Amount').fill('100')
      await press(faucet, 'Set balance')
      await faucet.getByText(`100 of ${token}`).waitFor()
    }

    await tab(page, 'Markets')
    await page.getByText('No markets').waitFor()
    await form.getByLabel('Stream').fill('eggs')
    await form.getByLabel('Bound').fill('3.20')
    await form.getByLabel('On the day').fill(dayAfter)
    await form.getByText(sentence).waitFor()
    await expectAccessible(page)
    let bookReads = 0
    page.on('request', (request) => {
      if (request.url().includes('/get_full_market_depth')) bookReads += 1
    })
    await press(form, 'Ask the question')
    await page.getByRole('heading', { name: sentence }).waitFor()

    const trade = page.getByRole('region', { name: 'Trade' })
    await trade.getByLabel('Price of yes').fill('140')
    await trade.getByText('expected 1 to 99').waitFor()
    await trade.getByLabel('Price of yes').fill('40')
    await trade.getByText('Costs $4.00 at most.').waitFor()
    await trade.getByText('It waits in the book for a seller.').waitFor()
    await trade.getByText('Pays $9.80 if the answer is yes, nothing otherwise.').waitFor()
    await trade.getByLabel('Shares').fill('1000')
    await trade.getByText("The gateway's wallet lacks $300.00").waitFor()
    await trade.getByLabel('Shares').fill('10')
    await press(trade, 'Buy 10 yes at 40 ¢')
    await trade.getByText('In a block').waitFor()
    await page.getByText('40 ¢ (40 bid, none offered)').waitFor()
    // The page knows an order from elsewhere only from the event stream: it does not ask for the book again.
    const readsBefore = bookReads
    const ladder = page.getByRole('table', { name: /^Yes/ })
    await gateway.run('place_buy_order', { query_id: 1, outcome: true, price: 7, amount: 3 })
    await ladder.getByRole('row', { name: '3 7' }).waitFor()
    expect(bookReads).toBe(readsBefore)
    await see(page, false)
    await gateway.run('cancel_order', { query_id: 1, outcome: true, price: -7 })
    expect(await ladder.getByRole('row', { name: '3 7' }).count()).toBe(1)
    await see(page, true)
    await ladder.getByRole('row', { name: '3 7' }).waitFor({ state: 'detached' })
    await press(trade, 'No')
    await trade.getByLabel('Price of no').fill('60')
    await trade.getByText('10 of 10 shares come at once for $6.00.').waitFor()
    await press(trade, 'Buy 10 no at 60 ¢')
    await page.getByText('10 pairs of shares').waitFor()
    await trade.getByText("The gateway's wallet has $90.00").waitFor()
    await trade.getByLabel('Price of no').fill('55')
    await press(trade, 'Buy 10 no at 55 ¢')
    const positions = page.getByRole('table', { name: 'Positions' })
    await press(positions, 'Take back')
    await expect.poll(() => positions.locator('tbody tr').count()).toBe(2)
    await expectAccessible(page)

    await page.getByRole('link', { name: 'Markets' }).first().click()
    const row = page.getByRole('table', { name: 'Markets' }).locator('tbody tr')
    await expect.poll(() => row.innerText()).toMatch(new RegExp(`^${sentence.replace('?', '\\?')}\\s+-\\s+10\\s+open`))
    await press(row, sentence)
    const settlement = page.getByRole('region', { name: 'Settlement' })
    await settlement.getByText(/The market is due on/).waitFor()
    await tab(page, 'Development')
    await page.getByLabel('Seconds').fill(String(2 * daySeconds))
    await press(page, 'Move the clock on')
    await press(page, 'Mine')
    await page.goBack()
    await press(settlement, 'Ask the network for the answer')
    await settlement.getByText('The network has answered the question').waitFor()
    await press(settlement, 'Settle the market')
    await page.getByText('settled: yes').waitFor()
    await page.getByText('was settled').first().waitFor()

    await tab(page, 'Wallets')
    await expect.poll(() => page.getByRole('region', { name: 'Tokens' }).innerText()).toMatch(/hoodi_tt2\s+99\.8/)
    await page.getByLabel('Tag of the wallet').fill('egg desk')
    await press(page, /^Save$/)
    await page.getByRole('heading', { name: 'egg desk' }).waitFor()
    await expectAccessible(page)
    await tab(page, 'Chain')
    await page.getByRole('button', { name: /^egg desk ran settle_market/ }).waitFor()
    expect([faults, foreign]).toEqual([[], []])
    await close()
  })

  it.each(['/console/streams/markets', '/console/streams/markets/1', '/console/streams/wallets'])(
    'fits a phone at %s',
    async (path) => {
      const { page, faults, close } = await open(path, { width: 360, theme: 'dark' })
      await page.locator('main :is(form, table)').first().waitFor()
      await page.getByText('eggs').first().waitFor()
      await expectAccessible(page)
      await expectNoSidewaysScroll(page)
      expect(faults).toEqual([])
      await close()
    },
  )
})
