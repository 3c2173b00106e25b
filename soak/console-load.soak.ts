/**
 * The grid room open in Chromium for ten minutes while about a thousand incidents arrive in a second: its memory must
 * not grow once its lists are full, and it must go on drawing.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import type { CDPSession, Page } from 'playwright-core'
import { openContext, startBrowser } from '#test/support/chromium.ts'
import { gatherViolations, grouped, type Soak } from './outcome.ts'
import { prepareService, type Service } from './service.ts'

const minutes = 10

/** Milliseconds between two looks at the page. */
const lookMs = 5_000

/** MiB that the page's heap may grow from its second quarter to its last, after a collection. */
const growthMiB = 20

/** A page that draws nothing for so many milliseconds has fallen behind. */
const longestFrameMs = 5_000

export const run: Soak = async (scale) => {
  const violations = gatherViolations()
  const service = await prepareService()
  await service.start()
  const tokens = { grid: service.tokens().GRID_TOKEN }
  await post(service, '/sim/config', { case: 'case118', pmu_rate: 30, seed: 3, auto_pause_s: 0 })
  await post(service, '/attack/enable', { type: 'SCALE', params: {} })
  const browser = await startBrowser('--enable-precise-memory-info')
  const context = await openContext(browser, {}, tokens)
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  await page.goto(`${service.url}/console/grid`)
  await page.locator('.one-line').waitFor()
  await page.evaluate(watchFrames)
  const heaps: number[] = []
  for (const end = Date.now() + minutes * 60_000 * scale; Date.now() < end; await sleep(lookMs)) {
    heaps.push(await heapMiB(devtools))
  }
  // The counter that watchFrames() put on the window, which TypeScript does not know.
  const frames = await page.evaluate(() => (window as unknown as Frames).frames)
  const heard = await heardOf(page)
  await browser.close()
  await service.stop()
  const quarter = Math.max(1, Math.floor(heaps.length / 4))
  const growth = Math.max(...heaps.slice(-quarter)) - Math.max(...heaps.slice(quarter, 2 * quarter), heaps[0] ?? 0)
  if (growth > growthMiB)
    violations.add(`the heap grew by ${growth.toFixed(1)} MiB: ${heaps.map(Math.round).join(', ')}`)
  if (frames.longestMs > longestFrameMs) violations.add(`the page drew nothing for ${Math.round(frames.longestMs)} ms`)
  if (heard === 0) violations.add('the page heard no incidents')
  return {
    done: `${grouped(heard)} incidents in ${grouped(Math.round(minutes * 60 * scale))} s on one page`,
    facts: [
      `heap after a collection ${Math.min(...heaps).toFixed(0)} to ${Math.max(...heaps).toFixed(0)} MiB`,
      `${grouped(frames.drawn)} frames, ${grouped(frames.late)} later than 100 ms, the longest wait ${Math.round(frames.longestMs)} ms`,
    ],
    violations: violations.list(),
  }
}

/** Frames that the page counted. */
interface Frames {
  frames: { drawn: number; late: number; longestMs: number }
}

/** Runs in the page: counts frames, and how long the page waited for each. */
function watchFrames(): void {
  // The soak reads it from the window.
  const counts = { drawn: 0, late: 0, longestMs: 0 }
  ;(window as unknown as Frames).frames = counts
  let last = performance.now()
  const next = (now: number) => {
    counts.drawn += 1
    if (now - last > 100) counts.late += 1
    counts.longestMs = Math.max(counts.longestMs, now - last)
    last = now
    requestAnimationFrame(next)
  }
  requestAnimationFrame(next)
}

async function heapMiB(devtools: CDPSession): Promise<number> {
  await devtools.send('HeapProfiler.collectGarbage')
  const { usedSize } = await devtools.send('Runtime.getHeapUsage')
  return usedSize / 1024 ** 2
}

/** Reads the number of incidents that the page received. */
async function heardOf(page: Page): Promise<number> {
  return Number(/(\d+) arrived;/.exec(await page.locator('main').innerText())?.[1] ?? 0)
}

async function post(service: Service, path: string, body: unknown): Promise<void> {
  const headers = { authorization: `Bearer ${service.tokens().GRID_TOKEN}` }
  const response = await fetch(`${service.url}/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  await response.arrayBuffer()
  if (!response.ok) throw new Error(`Cannot prepare: ${path} answered ${response.status}`)
}
