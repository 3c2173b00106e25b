/**
 * `npm run pictures [-- NAME ...]`: takes the pictures of docs/images, each view of the console, or those named, on a
 * desktop and on a phone.
 *
 * Starts a service with fresh state, brings it to what the pictures show, and writes each view as WebP. Without
 * names, pictures of views that are no longer listed are removed. Needs Chromium.
 */

import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { prepareService } from '#soak/service.ts'
import { chromiumPath, openContext, startBrowser } from '#test/support/chromium.ts'
import { type Stage, setStage } from '#test/support/pictures/stage.ts'
import { type View, views } from '#test/support/pictures/views.ts'
import { projectRoot } from './project.ts'

const folder = join(projectRoot, 'docs/images')

/** Of 100; below it the digits of tables are hard to read. */
const quality = 50

const screens = [
  { suffix: '', width: 1200, height: 780 },
  { suffix: '-phone', width: 390, height: 780 },
] as const

if (chromiumPath === null) {
  console.error('Cannot take pictures: Chromium is not on the PATH')
  process.exit(1)
}
const names = process.argv.slice(2)
const unknown = names.find((name) => !views.some((view) => view.name === name))
if (unknown !== undefined) {
  const known = views.map((view) => view.name)
  console.error(`Cannot take pictures: there is no view "${unknown}"; the views are ${known.join(', ')}`)
  process.exit(1)
}
const wanted = names.length === 0 ? views : views.filter(({ name }) => names.includes(name))
const service = await prepareService()
const browser = await startBrowser()
try {
  await service.start()
  const stage = await setStage(service)
  const taken = await takePictures(stage).finally(stage.leave)
  if (wanted === views) for (const name of readdirSync(folder)) if (!taken.has(name)) rmSync(join(folder, name))
} finally {
  await browser.close()
  await service.stop()
}

async function takePictures(stage: Stage): Promise<ReadonlySet<string>> {
  const taken = new Set<string>()
  for (const view of wanted) {
    for (const screen of screens) {
      const name = `${view.name}${screen.suffix}.webp`
      const octets = await takePicture(stage, view, screen)
      writeFileSync(join(folder, name), octets)
      taken.add(name)
      console.log(`${name} ${octets.length}`)
    }
  }
  return taken
}

async function takePicture(
  stage: Stage,
  { path, show }: View,
  { width, height }: (typeof screens)[number],
): Promise<Buffer> {
  const { ADMIN_TOKEN, GRID_TOKEN, STREAMNET_TOKEN } = service.tokens()
  const tokens = { ratelimit: ADMIN_TOKEN, grid: GRID_TOKEN, streamnet: STREAMNET_TOKEN }
  const context = await openContext(browser, { viewport: { width, height }, reducedMotion: 'reduce' }, tokens)
  const page = await context.newPage()
  await page.goto(service.url + (typeof path === 'string' ? path : path(stage)))
  await show(page)
  const octets = await captureWebp(page)
  await context.close()
  return octets
}

/** Playwright itself writes PNG and JPEG only. */
async function captureWebp(page: Page): Promise<Buffer> {
  const devtools = await page.context().newCDPSession(page)
  const { data } = await devtools.send('Page.captureScreenshot', { format: 'webp', quality })
  return Buffer.from(data, 'base64')
}
