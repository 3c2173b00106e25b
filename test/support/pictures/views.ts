/** The views of the console of which the docs have a picture on a desktop and one on a phone. */

import type { Page } from 'playwright-core'
import type { Stage } from './stage.ts'

/** A provider of the seed network, which placed orders in its markets. */
const trader = '0x691cb1645a4f21d879973b3a3b98a714fc1970d6'

/** One view. */
export interface View {
  /** The file in docs/images, without `.webp`; the picture of a phone has `-phone` behind it. */
  readonly name: string
  /** The address of the view, where it can be known only from what the services hold. */
  readonly path: string | ((stage: Stage) => string)
  /** Brings the page to what the picture shows, and waits until it is there. */
  readonly show: (page: Page) => Promise<void>
}

const seen = (selector: string) => (page: Page) => page.locator(selector).first().waitFor()

const asked = '/console/ratelimit/ask?domain=shop&entry=login%3Dmia'

/** Every view, in the order of the rooms. */
export const views: readonly View[] = [
  {
    name: 'home',
    path: '/',
    async show(page) {
      await page.getByText(/^\d+ refused$/).waitFor()
      await page.getByText('FDI_STEALTH on bus 9').waitFor()
      await page.getByText(/^\d+ blocks$/).waitFor()
    },
  },
  { name: 'docs', path: '/docs/ratelimit', show: seen('main form') },
  {
    name: 'ratelimit',
    path: '/console/ratelimit?span=2m',
    show: (page) => page.getByRole('region', { name: 'Keys, refused most' }).getByText('mia').waitFor(),
  },
  {
    name: 'ratelimit-ask',
    path: asked,
    async show(page) {
      await page.getByRole('heading', { name: 'Refused' }).waitFor()
      await page.getByRole('region', { name: 'Answer' }).scrollIntoViewIfNeeded()
    },
  },
  {
    name: 'ratelimit-rules',
    path: '/console/ratelimit/rules',
    async show(page) {
      await page.getByRole('group', { name: 'Files' }).getByText('shop').click()
      const text = page.getByRole('textbox', { name: /^Text of/ })
      await text.fill((await text.inputValue()).replace('requests_per_unit: 5}', 'requests_per_unit: 2}'))
      await page.getByRole('list', { name: 'Rules that change' }).waitFor()
      await page.getByRole('button', { name: 'Judge the last requests' }).click()
      await page.getByText(/requests? would be decided differently/).waitFor()
    },
  },
  { name: 'ratelimit-history', path: '/console/ratelimit/history', show: seen('.revisions li') },
  {
    name: 'ratelimit-counter',
    path: asked,
    async show(page) {
      await page.getByRole('link', { name: 'Open the counter' }).first().click()
      await page.getByRole('button', { name: 'Reset to zero' }).waitFor()
    },
  },
  { name: 'grid', path: '/console/grid', show: seen('.one-line') },
  { name: 'grid-difference', path: '/console/grid?show=difference&bus=9', show: seen('.comparison tr.bad') },
  {
    name: 'grid-attack',
    path: '/console/grid?show=difference&bus=9&attacks=1',
    show: (page) => page.getByText(/messages seen, [1-9]/).waitFor(),
  },
  {
    name: 'grid-incident',
    path: ({ incident }) => `/console/grid?incident=${incident}`,
    async show(page) {
      await seen('.one-line')(page)
      await seen('.octets mark')(page)
    },
  },
  { name: 'grid-trainee', path: '/console/grid?trainee=1&bus=9', show: seen('.one-line') },
  {
    name: 'grid-trainee-messages',
    path: '/console/grid?trainee=1',
    async show(page) {
      const messages = page.getByRole('region', { name: 'Messages', exact: true })
      await messages.locator('tbody tr').nth(8).waitFor()
      await messages.evaluate((list) => list.scrollIntoView({ block: 'start' }))
    },
  },
  {
    name: 'streams',
    path: '/console/streams',
    // A row asks for its values when it is drawn; the network has ten streams.
    show: (page) => page.locator('main tbody svg').nth(9).waitFor(),
  },
  {
    name: 'streams-stream',
    path: ({ stream }) => `/console/streams/${stream}`,
    show: async (page) => {
      await page.locator('.chart .line').first().waitFor()
      await page
        .locator('.tree')
        .getByText(/[1-9]\d* %/)
        .nth(6)
        .waitFor()
    },
  },
  { name: 'streams-chain', path: '/console/streams/chain', show: seen('main tbody tr') },
  {
    name: 'streams-market',
    path: '/console/streams/markets/1',
    async show(page) {
      const positions = page.getByRole('region', { name: /^Positions/ })
      await positions.getByLabel('Wallet').fill(trader)
      await positions.getByRole('table', { name: 'History of orders' }).waitFor()
      await page.locator('.ladder').nth(1).waitFor()
    },
  },
  { name: 'streams-wallet', path: `/console/streams/wallets/${trader}`, show: seen('main tbody tr') },
  { name: 'streams-write', path: '/console/streams/write', show: seen('main form') },
  { name: 'streams-development', path: '/console/streams/development', show: seen('main button') },
]
