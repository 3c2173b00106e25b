/** Size of the console in a browser, and the time to a first view on a slow processor. */

import { gzipSync } from 'node:zlib'
import type { Browser } from 'playwright-core'
import { buildConsole, type ConsoleFile } from '#bin/bundle-console.ts'
import { prepareService } from '#soak/service.ts'
import { chromiumPath, openContext, startBrowser, type Tokens } from '#test/support/chromium.ts'
import { setStage } from '#test/support/pictures/stage.ts'
import { median, printTable } from './report.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 7)
/** Factor by which the page's own work is slowed. */
const slowness = 4

const files = await buildConsole()
const kB = (some: readonly ConsoleFile[], sizeOf: (octets: Uint8Array) => number) =>
  `${(some.reduce((sum, { contents }) => sum + sizeOf(contents), 0) / 1000).toFixed(1)} kB`
const gzipped = (octets: Uint8Array) => gzipSync(octets, { level: 9 }).length

const sizes: readonly (readonly [name: string, some: readonly ConsoleFile[], aim: string])[] = [
  ['the first view', files.filter(({ isFirst }) => isFirst), '40 kB'],
  ['style sheet', files.filter(({ name }) => name.endsWith('.css')), ''],
  ['everything', files, '72 kB'],
]

printTable(
  ['what', 'files', 'minified', 'gzipped', 'aim'],
  sizes.map(([name, some, aim]) => [
    name,
    String(some.length),
    kB(some, (octets) => octets.length),
    kB(some, gzipped),
    aim,
  ]),
)
if (chromiumPath === null) console.log('No Chromium: first views were not measured.')
else await printFirstViews()

/** Opens each view with an empty cache, in turn, beside a service that is busy with all three surfaces. */
async function printFirstViews(): Promise<void> {
  const service = await prepareService()
  const browser = await startBrowser()
  try {
    await service.start()
    const stage = await setStage(service)
    const { ADMIN_TOKEN, GRID_TOKEN, STREAMNET_TOKEN } = service.tokens()
    const tokens = { ratelimit: ADMIN_TOKEN, grid: GRID_TOKEN, streamnet: STREAMNET_TOKEN }
    const paths = ['/healthcheck', '/', '/console/ratelimit', '/console/grid', '/console/streams']
    const taken = new Map(paths.map((path) => [path, [] as FirstView[]]))
    for (let round = 0; round < rounds; round++) {
      for (const [path, views] of taken) views.push(await openView(browser, service.url + path, tokens))
    }
    await stage.leave()
    console.log(`A processor ${slowness} times as slow; ${rounds} rounds, medians (least to most).\n`)
    printTable(
      ['view', 'heading', 'its data', 'aim'],
      [...taken].map(([path, views]) => [
        path === '/healthcheck' ? `${path}, a line of text` : path,
        milliseconds(views.map(({ headingMs }) => headingMs)),
        milliseconds(views.map(({ dataMs }) => dataMs)),
        path === '/healthcheck' ? '' : '1000 ms',
      ]),
    )
  } finally {
    await browser.close()
    await service.stop()
  }
}

/** Times of a first view, from the start of its navigation. */
interface FirstView {
  readonly headingMs: number
  /** Time at which its last placeholder was replaced. */
  readonly dataMs: number
}

async function openView(browser: Browser, url: string, tokens: Tokens): Promise<FirstView> {
  const context = await openContext(browser, { viewport: { width: 1200, height: 780 } }, tokens)
  try {
    const page = await context.newPage()
    const session = await context.newCDPSession(page)
    await session.send('Emulation.setCPUThrottlingRate', { rate: slowness })
    await page.addInitScript(watchView)
    await page.goto(url, { waitUntil: 'commit' })
    const view = await page.waitForFunction(() => Reflect.get(window, 'firstView'))
    // What `watchView` has put there.
    return (await view.jsonValue()) as FirstView
  } finally {
    await context.close()
  }
}

/**
 * Runs in the page: puts a FirstView where `openView` finds it, after the frame that shows the data. A page that is
 * not the console's has its text from the beginning.
 */
function watchView(): void {
  const isWaiting = () =>
    document.readyState === 'loading' ||
    (document.getElementById('console') !== null && document.querySelector('main h1') === null)
  let headingMs = 0
  const look = () => {
    if (isWaiting()) return
    headingMs ||= performance.now()
    if (document.querySelector('.skeleton') !== null) return
    observer.disconnect()
    requestAnimationFrame(() => Reflect.set(window, 'firstView', { headingMs, dataMs: performance.now() }))
  }
  const observer = new MutationObserver(look)
  observer.observe(document, { childList: true, subtree: true })
  addEventListener('DOMContentLoaded', look)
}

function milliseconds(values: readonly number[]): string {
  const [least, most] = [Math.min(...values), Math.max(...values)]
  return `${median(values).toFixed(0)} ms (${least.toFixed(0)} to ${most.toFixed(0)})`
}
