/** The console in Chromium: pages with tokens, a size and a theme, and what must be true of every view. */

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { expect } from 'vitest'
import { startHttpFront } from '#bin/http-front/front.ts'
import { createUpstream } from '#bin/http-front/upstream.ts'
import { projectRoot } from '#bin/project.ts'
import { openContext, type Tokens } from './chromium.ts'

/** Options of a page. */
export interface PageOptions {
  readonly tokens?: Tokens
  /** CSS pixels; 1280 when absent. */
  readonly width?: number
  readonly theme?: 'light' | 'dark'
}

/** A page of the console, and everything that went wrong in it. */
export interface ConsolePage {
  readonly page: Page
  /** Errors of scripts and of the Content-Security-Policy. */
  readonly faults: readonly string[]
  /** Addresses of requests to other origins. */
  readonly foreign: readonly string[]
  close(): Promise<void>
}

/** Opens a view in a fresh context. @param url - The origin of the server. */
export async function openConsole(
  browser: Browser,
  url: string,
  path: string,
  { tokens = {}, width = 1280, theme = 'light' }: PageOptions = {},
): Promise<ConsolePage> {
  const height = width < 500 ? 780 : 900
  const context = await openContext(browser, { viewport: { width, height }, colorScheme: theme }, tokens)
  const page = await context.newPage()
  const faults: string[] = []
  const foreign: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    if (/Content Security Policy|TrustedHTML/.test(message.text())) faults.push(message.text())
  })
  page.on('request', (request) => {
    const address = request.url()
    if (!address.startsWith(url) && !/^(data|blob):/.test(address)) foreign.push(address)
  })
  await page.goto(url + path)
  return { page, faults, foreign, close: () => context.close() }
}

/** Opens a view and looks at it: at the end nothing may have gone wrong in it, and nothing have left the machine. */
export async function visitConsole(
  browser: Browser,
  url: string,
  path: string,
  look: (page: Page) => Promise<void>,
  options: PageOptions,
): Promise<void> {
  const opened = await openConsole(browser, url, path, options)
  try {
    await look(opened.page)
    expect([opened.faults, opened.foreign]).toEqual([[], []])
  } finally {
    await opened.close()
  }
}

/** A server that can die: its address refuses connections until it comes back. */
export interface MortalServer {
  readonly url: string
  die(): Promise<void>
  comeBack(): Promise<void>
  stop(): Promise<void>
}

/** Starts a front before a bundle; what happens at the bundle's own address meanwhile, the page has missed. */
export async function startMortalServer(bundleUrl: string): Promise<MortalServer> {
  const upstream = createUpstream({ host: '127.0.0.1', port: Number(new URL(bundleUrl).port) })
  let front = await startHttpFront({ upstream })
  const { port } = front
  return {
    url: `http://127.0.0.1:${port}`,
    die: () => front.stop(0),
    async comeBack() {
      front = await startHttpFront({ upstream, port })
    },
    async stop() {
      await front.stop(0)
      await upstream.close()
    },
  }
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Pictures of the views that a run has looked at, for a person: `.build/pictures`. */
const pictureFolder = join(projectRoot, '.build/pictures')

/** The address that a page has now. `page.url()` follows by another message, which may come later. */
export async function addressOf(page: Page): Promise<URL> {
  return new URL(await page.evaluate(() => location.href))
}

/** Waits for a part of the address: the console sets it once an entry of the history is settled, after the view. */
export async function expectAddress(
  page: Page,
  part: 'href' | 'pathname' | 'search',
  expected: string | RegExp,
): Promise<void> {
  const shown = expect.poll(async () => (await addressOf(page))[part])
  await (typeof expected === 'string' ? shown.toBe(expected) : shown.toMatch(expected))
}

/** Keeps a picture of a view, named for its address, its width and its theme. */
async function keepPicture(page: Page): Promise<void> {
  const { pathname, search } = await addressOf(page)
  const theme = await page.evaluate(() => (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'))
  const view = (pathname + search).replace(/[^\w.=-]+/g, '_').slice(0, 120)
  const name = `${view}-${page.viewportSize()?.width}-${theme}.png`
  await page.screenshot({ path: join(pictureFolder, name) })
}

/** Finds what axe-core finds: nothing is expected, in any view. Keeps a picture of the view. */
export async function expectAccessible(page: Page): Promise<void> {
  await keepPicture(page)
  await page.evaluate(axe)
  const found = await page.evaluate(async () => {
    // The script above has put it there.
    const { axe: checker } = window as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> }
    }
    const { violations } = await checker.run()
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' ')}`)
  })
  expect(found).toEqual([])
}

/** Nothing lies beyond the right edge of the page. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
}
