/** The machine's Chromium, for tests, soaks and pictures, and what a page of the console knows when it opens. */

import { existsSync } from 'node:fs'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core'
import { findProgram } from './process.ts'

/** Tokens of the console by service: `ratelimit`, `grid`, `streamnet`. */
export type Tokens = Readonly<Record<string, string>>

/** Its path: what CHROMIUM_PATH says, or the machine's, or the one that playwright-core installed; null where there is none. */
export const chromiumPath = findChromium()

function findChromium(): string | null {
  const installed = findProgram('chromium') ?? findProgram('google-chrome') ?? chromium.executablePath()
  const path = process.env.CHROMIUM_PATH ?? installed
  return existsSync(path) ? path : null
}

/** Starts it. */
export function startBrowser(...args: readonly string[]): Promise<Browser> {
  const executablePath = chromiumPath ?? ''
  return chromium.launch({ executablePath, args: ['--no-sandbox', ...args], timeout: 120_000 })
}

/** Opens a fresh context, whose pages have the tokens unless they have taken others. */
export async function openContext(
  browser: Browser,
  options: BrowserContextOptions,
  tokens: Tokens,
): Promise<BrowserContext> {
  const context = await browser.newContext(options)
  context.setDefaultTimeout(120_000)
  await context.addInitScript(
    (text) => sessionStorage.getItem('sluice-tokens') ?? sessionStorage.setItem('sluice-tokens', text),
    JSON.stringify(tokens),
  )
  return context
}
