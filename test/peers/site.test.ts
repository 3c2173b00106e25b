/** The documentation as a site, built as `npm run build` in `site` does, and searched in a browser. */

import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { projectRoot } from '#bin/project.ts'
import { chromiumPath, startBrowser } from '../support/chromium.ts'
import { listen } from '../support/listen.ts'
import { offline } from '../support/offline.ts'

const run = promisify(execFile)
const site = join(projectRoot, 'site')
const built = (path: string) => readFileSync(join(site, 'dist', path), 'utf8')

let failure = ''

beforeAll(async () => {
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
  failure = await run('npm', ['ci', ...flags], { cwd: site }).then(
    () => '',
    (error: unknown) => String(error),
  )
  // A page with a link to no page, or a source with types that cannot be read, fails here.
  if (failure === '') await run(process.execPath, ['build.mjs'], { cwd: site, maxBuffer: 16 * 1024 * 1024 })
})

describe('the site (skipped where the registry cannot be reached)', () => {
  it('has every page of docs, and the API of each part of the library', ({ skip }) => {
    skip(offline.test(failure), 'the registry cannot be reached')
    expect(failure).toBe('')
    const first = built('index.html')
    for (const name of ['ratelimit', 'tasks/run-an-exercise', 'decisions/dependencies', 'settings']) {
      expect(existsSync(join(site, 'dist/docs', `${name}.html`)), name).toBe(true)
      expect(first).toContain(`/docs/${name}`)
    }
    for (const name of ['limiter.createLimiter', 'streamnet.generateStreamId', 'grid.solvePowerFlow']) {
      expect(built(`api/functions/${name}.html`)).toContain('<h3>')
    }
  })

  it('leads from a page to pages, and to no source without the address of a repository', ({ skip }) => {
    skip(failure !== '', 'nothing was built')
    const page = built('docs/from-a-worker.html')
    expect(page).toContain('href="/docs/ratelimit"')
    expect(page).toContain('<a class="source">limited-server</a>')
    expect(page).not.toMatch(/href="[^"]*examples/)
  })

  it('finds a setting by search in the browser', async ({ skip }) => {
    skip(failure !== '', 'nothing was built')
    skip(chromiumPath === null, 'there is no Chromium')
    const port = await serve()
    const browser = await startBrowser()
    try {
      const page = await browser.newPage()
      page.setDefaultTimeout(120_000)
      await page.goto(`http://127.0.0.1:${port}/`)
      await page.getByRole('button', { name: 'Search' }).click()
      await page.getByRole('searchbox').fill('COUNTER_SHARDS')
      await page.getByRole('listbox').getByText('Settings').first().waitFor()
    } finally {
      await browser.close()
    }
  })
})

const servers: Server[] = []
afterAll(() => {
  for (const server of servers) server.close()
})

const types: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' }

/** Serves what was built, as a host of static files does. */
async function serve(): Promise<number> {
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? '', 'http://site').pathname
    const name = path.endsWith('/') ? `${path}index.html` : extname(path) === '' ? `${path}.html` : path
    const bytes = await readFile(join(site, 'dist', name)).catch(() => null)
    response.writeHead(bytes === null ? 404 : 200, {
      'content-type': types[extname(name)] ?? 'application/octet-stream',
    })
    response.end(bytes)
  })
  servers.push(server)
  return listen(server)
}
