/** The event stream as curl sees it, and as a browser does: with a ticket, and with the module that pages load. */

import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { type BrowserContext, chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningBundle, startBundle } from '../support/bundle.ts'
import { chromiumPath } from '../support/chromium.ts'
import { makeFolder } from '../support/folder.ts'
import { createSimulations, gridClient, gridToken } from '../support/grid-service.ts'
import { findProgram } from '../support/process.ts'
import { once } from '../support/wait.ts'

const curl = findProgram('curl')

let bundle: RunningBundle

beforeAll(async () => {
  bundle = await startBundle({ worker: 'index', rebuild: true, vars: { GRID_TOKEN: gridToken } })
  await createSimulations(bundle.url, ['curl', 'eventsource', 'module'])
})
afterAll(() => bundle?.stop())

/** A curl that reads a stream, with what it printed so far and when each piece arrived. */
function startCurl(url: string) {
  const child = spawn(curl ?? '', ['-sN', '-i', '-H', `Authorization: Bearer ${gridToken}`, url])
  const pieces: { text: string; atMs: number }[] = []
  child.stdout.on('data', (bytes: Buffer) => pieces.push({ text: bytes.toString(), atMs: Date.now() }))
  return {
    child,
    text: () => pieces.map(({ text }) => text).join(''),
    /** The time at which the stream first matched; fails after so many milliseconds. */
    async until(pattern: RegExp, withinMs: number): Promise<number> {
      for (const end = Date.now() + withinMs; Date.now() < end; await sleep(10)) {
        let seen = ''
        for (const { text, atMs } of pieces) {
          seen += text
          if (pattern.test(seen)) return atMs
        }
      }
      throw new Error(`${pattern} did not appear within ${withinMs} ms: ${pieces.map(({ text }) => text).join('')}`)
    },
  }
}

describe.skipIf(curl === null)('curl -N (skipped without curl)', () => {
  // The promise of two seconds has three tries: another program may hold both cores for a while.
  it('has the head of the stream at once, and an incident within two seconds of an enable request', {
    retry: 2,
  }, async () => {
    const client = gridClient(bundle.url, 'curl')
    const stream = startCurl(`${client.base}/events`)
    try {
      await stream.until(
        /^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\n(?:[\da-f]+\r\n)?: stream of simulation curl\n\nretry: 3000\n\n/,
        2_000,
      )
      expect(stream.text()).toMatch(/content-type: text\/event-stream; charset=utf-8/i)
      expect(stream.text()).not.toMatch(/event: /)
      const askedMs = Date.now()
      await client.enable('NOISE')
      const shownMs = await stream.until(/event: incident\ndata: \{.*\}\n\n/, 2_000)
      expect(shownMs - askedMs).toBeLessThan(2_000)
      const data = /event: incident\ndata: (\{.*\})\n\n/.exec(stream.text())?.[1] ?? ''
      expect(JSON.parse(data)).toMatchObject({ status: 'attacked', attack_type: 'NOISE', protocol: 'C37.118' })
    } finally {
      stream.child.kill()
    }
  })

  it('is refused without a token before any byte of the stream', async () => {
    const child = spawn(curl ?? '', ['-s', '-o', '/dev/null', '-w', '%{http_code}', `${bundle.url}/api/v1/events`])
    let printed = ''
    child.stdout.on('data', (bytes: Buffer) => {
      printed += bytes.toString()
    })
    await once(child, 'close', () => printed)
    expect(printed).toBe('401')
  })
})

/** The data of a page: the address of the interface, and the token of its user. */
interface PageTask {
  readonly base: string
  readonly token: string
}

describe.skipIf(chromiumPath === null)('Chromium (skipped without chromium)', () => {
  const profile = makeFolder()
  let context: BrowserContext

  beforeAll(async () => {
    context = await chromium.launchPersistentContext(profile, {
      executablePath: chromiumPath ?? '',
      headless: true,
      timeout: 120_000,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    })
  })
  afterAll(() => context?.close())

  /** Two origins for the same service: the page of one asks the interface at the other. */
  function otherOrigin(): string {
    return bundle.url.replace('127.0.0.1', 'localhost')
  }

  /** A page without the console's policy, which lets a page ask its own origin only. */
  const plainPage = '/lib/event-stream.js'

  it('receives incidents through an EventSource with a ticket that works once, from another origin', async () => {
    const page = await context.newPage()
    await page.goto(`${otherOrigin()}${plainPage}`)
    const task: PageTask = { base: gridClient(bundle.url, 'eventsource').base, token: gridToken }
    const heard = await page.evaluate(async ({ base, token }) => {
      const headers = { authorization: `Bearer ${token}` }
      const answer = await fetch(`${base}/events/ticket`, { method: 'POST', headers })
      const { ticket } = await answer.json()
      const url = `${base}/events?ticket=${ticket}`
      const source = new EventSource(url)
      await new Promise((resolve, reject) => {
        source.onopen = resolve
        source.onerror = () => reject(new Error('the stream did not open'))
      })
      const incidents: string[] = []
      const isEnough = new Promise<void>((resolve) => {
        source.addEventListener('incident', ({ data }) => {
          incidents.push(data)
          if (incidents.length === 5) resolve()
        })
      })
      await fetch(`${base}/attack/enable`, { method: 'POST', headers, body: '{"type":"SCALE","params":{}}' })
      await isEnough
      source.close()
      const again = await fetch(url)
      return { incidents, again: again.status, hint: (await again.json()).hint }
    }, task)
    expect(heard.again).toBe(401)
    expect(heard.incidents.map((data) => JSON.parse(data).attack_type)).toEqual(Array(5).fill('SCALE'))
    await page.close()
  })

  it('receives incidents through fetch and public/lib/event-stream.js, with the token in a header', async () => {
    const page = await context.newPage()
    await page.goto(`${bundle.url}${plainPage}`)
    await page.addScriptTag({
      type: 'module',
      content: "import * as eventStream from '/lib/event-stream.js'; globalThis.eventStream = eventStream",
    })
    await page.waitForFunction(() => 'eventStream' in globalThis)
    const task: PageTask = { base: gridClient(otherOrigin(), 'module').base, token: gridToken }
    const types = await page.evaluate(async ({ base, token }) => {
      // Put there by the script above.
      const { readEvents } = Reflect.get(globalThis, 'eventStream') as typeof import('#base/event-stream.ts')
      const headers = { authorization: `Bearer ${token}` }
      const response = await fetch(`${base}/events`, { headers })
      await fetch(`${base}/attack/enable`, { method: 'POST', headers, body: '{"type":"SCALE","params":{}}' })
      const heard: string[] = []
      for await (const { event, data } of readEvents(response.body)) {
        heard.push(`${event} ${JSON.parse(data).attack_type}`)
        if (heard.length === 5) break
      }
      return heard
    }, task)
    expect(types).toEqual(Array(5).fill('incident SCALE'))
    await page.close()
  })

  it('stops for good when the ticket is wrong: no reconnecting to a 401', async () => {
    const page = await context.newPage()
    await page.goto(`${bundle.url}/`)
    const state = await page.evaluate(async () => {
      const source = new EventSource('/api/v1/events?ticket=unknown')
      await new Promise((resolve) => {
        source.onerror = resolve
      })
      return source.readyState
    })
    expect(state).toBe(2)
    await page.close()
  })
})
