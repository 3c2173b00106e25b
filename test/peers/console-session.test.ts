/** The session of the console in Chromium: all tabs, its end, and what a page on another port gets of it. */

import { createServer } from 'node:http'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleConsole } from '#bin/bundle-console.ts'
import { startHttpFront } from '#bin/http-front/front.ts'
import { createSessions } from '#bin/http-front/sessions.ts'
import { createSignIn } from '#bin/http-front/sign-in.ts'
import { createUpstream } from '#bin/http-front/upstream.ts'
import { type RunningBundle, startBundle } from '../support/bundle.ts'
import { chromiumPath, startBrowser } from '../support/chromium.ts'
import { expectAccessible, expectAddress, openConsole } from '../support/console.ts'
import { listen } from '../support/listen.ts'

/** Of a deployment behind an access proxy: one token for all surfaces. */
const operators = JSON.stringify([{ name: 'proxy', token: 'token-of-the-proxy', scopes: ['*'] }])
const vars = {
  ADMIN_TOKEN: 'token-of-admin',
  GRID_TOKEN: 'token-of-grid',
  STREAMNET_TOKEN: 'token-of-streams',
  STREAMNET_ADMIN_TOKEN: 'token-of-operator',
}
let bundle: RunningBundle
let browser: Browser

beforeAll(async () => {
  if (chromiumPath === null) return
  await bundleConsole()
  bundle = await startBundle({ worker: 'index', rebuild: true, vars: { ...vars, SLUICE_TOKENS: operators } })
  browser = await startBrowser()
})
afterAll(async () => {
  await browser?.close()
  await bundle?.stop()
})

async function startFront(readClock?: () => number) {
  const upstream = createUpstream({ host: '127.0.0.1', port: Number(new URL(bundle.url).port) })
  const signIn = createSignIn(vars, createSessions({}, readClock))
  const front = await startHttpFront({ upstream, signIn })
  const url = `http://127.0.0.1:${front.port}`
  const stop = async () => {
    await front.stop(0)
    await upstream.close()
  }
  return { url, link: (path = '') => `/console${path}#signin=${signIn.issueCode()}`, stop }
}

describe.skipIf(chromiumPath === null)('a session (skipped without Chromium)', () => {
  it('is of all tabs and of addresses that are opened later, holds no token, and ends in all by signing out', async () => {
    const { url, link, stop } = await startFront()
    const used = link()
    const { page, faults, close } = await openConsole(browser, url, used)
    await page
      .getByRole('region', { name: 'Rate limit' })
      .getByText(/requests/)
      .waitFor()
    await expectAddress(page, 'href', `${url}/console`)
    const bookmark = await page.context().newPage()
    await bookmark.goto(url + used)
    await bookmark
      .getByRole('region', { name: 'Grid' })
      .getByText(/MW|stopped|runs/)
      .first()
      .waitFor()
    expect(await bookmark.getByText('Cannot sign in').count()).toBe(0)
    const tab = await page.context().newPage()
    await tab.goto(`${url}/console/streams/development`)
    await tab.getByText('not needed: you are signed in').waitFor()
    const kept = await tab.evaluate(() => JSON.stringify([localStorage, sessionStorage, document.cookie]))
    expect(kept).toContain('sluice-session')
    for (const token of Object.values(vars)) expect(kept).not.toContain(token)
    await bookmark.goto(`${url}/console/ratelimit`)
    await bookmark.getByText('live', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Tokens' }).click()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Sign out' }).click()
    for (const one of [bookmark, tab]) await one.getByText(/You are signed out/).waitFor()
    await bookmark.getByText('needs a token').waitFor()
    const stranger = await openConsole(browser, url, used)
    await stranger.page.getByText(/the link was used already/).waitFor()
    expect(faults).toEqual([])
    await Promise.all([close(), stranger.close()])
    await stop()
  })

  it('that has ended says so once and what to do, and a new link in any tab lets all tabs go on', async () => {
    let nowMs = 0
    const { url, link, stop } = await startFront(() => nowMs)
    const { page, close } = await openConsole(browser, url, link('/ratelimit'))
    await page.getByText('live', { exact: true }).waitFor()
    nowMs = 7 * 24 * 3_600_000
    await page.getByText('You are signed out: the session has ended').waitFor()
    await page.getByText(/Open a link that "npx sluice console" prints, in any tab/).waitFor()
    expect(await page.getByText('the session has ended').count()).toBe(1)
    await expectAccessible(page)
    const tab = await page.context().newPage()
    await tab.goto(url + link())
    await page.getByText('live', { exact: true }).waitFor()
    await page.getByText('You are signed out').waitFor({ state: 'detached' })
    await close()
    await stop()
  })

  it('is not needed behind a proxy that adds a token', async () => {
    const upstream = createUpstream({ host: '127.0.0.1', port: Number(new URL(bundle.url).port) })
    const fields = { authorization: 'Bearer token-of-the-proxy' }
    const proxy = await startHttpFront({ upstream, fields })
    const { page, close } = await openConsole(browser, `http://127.0.0.1:${proxy.port}`, '/console')
    await page
      .getByRole('region', { name: 'Rate limit' })
      .getByText(/requests/)
      .waitFor()
    await page.goto(`http://127.0.0.1:${proxy.port}/console/grid`)
    await page.getByText('live', { exact: true }).waitFor()
    expect(await page.getByText(/token is missing/).count()).toBe(0)
    await close()
    await proxy.stop(0)
    await upstream.close()
  })

  it('gives a page on another port its cookie and no rights', async () => {
    const { url, link, stop } = await startFront()
    const stolen: string[] = []
    const other = createServer(({ headers }, response) => {
      if (headers.cookie !== undefined) stolen.push(headers.cookie)
      response.setHeader('content-type', 'text/html')
      response.end('<title>other</title>')
    })
    const port = await listen(other)
    const { page, close } = await openConsole(browser, url, link())
    await page
      .getByRole('region', { name: 'Rate limit' })
      .getByText(/requests/)
      .waitFor()
    await page.goto(`http://127.0.0.1:${port}/`)
    await expect.poll(() => stolen.length).toBeGreaterThan(0)
    const outcomes = await page.evaluate(async (target) => {
      const ask = (init: RequestInit) =>
        fetch(`${target}/ratelimit/config`, { credentials: 'include', ...init }).then(
          ({ status, type }) => `${type} ${status}`,
          () => 'failed',
        )
      const headers = { 'x-sluice-session': 'guess' }
      return [localStorage.length, await ask({}), await ask({ headers }), await ask({ method: 'PUT' })]
    }, url)
    expect(outcomes).toEqual([0, 'failed', 'failed', 'failed'])
    const [cookie = ''] = stolen
    expect(cookie).toContain('sluice-session-')
    const origin = { origin: url, 'sec-fetch-site': 'same-origin', cookie }
    const replayed = await fetch(`${url}/ratelimit/config`, { headers: origin })
    expect(replayed.status).toBe(401)
    await close()
    other.closeAllConnections()
    other.close()
    await stop()
  })
})
