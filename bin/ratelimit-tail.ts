/** `sluice ratelimit tail`: the statistics of a running rate limit service, one line for each that has changed. */

import { setTimeout as sleep } from 'node:timers/promises'
import { runTool } from './command-line.ts'
import { changesBetween, type Figures, parseFigures } from './ratelimit/figures.ts'

const usage = `Usage: sluice ratelimit tail [OPTION ...]

  --url URL            the service (http://127.0.0.1:8080)
  --domain DOMAIN      only statistics of this domain
  --every SECONDS      pause between two looks, 1 to 3600 (1)
  --once               print every figure as it is now and end
  --json               print one JSON object per line
  --help               print this

The service's token comes from the environment variable ADMIN_TOKEN. Exit code 0: stopped by a signal; 1: a failure.
`

const options = {
  url: { type: 'string', default: 'http://127.0.0.1:8080' },
  domain: { type: 'string' },
  every: { type: 'string', default: '1' },
  once: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
} as const

const action = 'Cannot follow statistics'

/** Milliseconds within which the service must answer. */
const answerWithinMs = 10_000

/** Prints every statistic that has changed between two looks, until a signal comes; with `--once` all of them, once. */
await runTool({ action, usage, options }, async (flags) => {
  const pauseMs = parsePause(flags.every)
  const stop = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort())
  // Who reads the output has left, as `head` does.
  process.stdout.once('error', () => stop.abort())
  let before: Figures = flags.once ? new Map() : await look(flags)
  while (!stop.signal.aborted) {
    if (!flags.once) await sleep(pauseMs, undefined, { signal: stop.signal }).catch(() => undefined)
    if (stop.signal.aborted) return
    const now = await look(flags)
    for (const change of changesBetween(before, now)) {
      const { name, value, added } = change
      console.log(flags.json ? JSON.stringify(change) : `${name} ${value} (+${added})`)
    }
    if (flags.once) return
    before = now
  }
})

async function look({ url, domain }: { readonly url: string; readonly domain?: string }): Promise<Figures> {
  const token = process.env.ADMIN_TOKEN ?? ''
  if (token === '') throw new Error(`${action}: ADMIN_TOKEN is not set, expected the token of the service`)
  if (!URL.canParse(url))
    throw new Error(`${action}: --url is "${url}", expected an address such as http://127.0.0.1:8080`)
  const response = await fetch(new URL('/ratelimit/stats', url), {
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(answerWithinMs),
  }).catch((cause: unknown) => {
    throw new Error(`${action}: ${url} does not answer`, { cause })
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${action}: ${url} answered ${response.status}: ${text.slice(0, 500).trim()}`)
  return parseFigures(text, domain)
}

/** The pause between two looks, in milliseconds. */
function parsePause(text: string): number {
  const seconds = Number(text)
  if (/^\d{1,4}$/.test(text) && seconds >= 1 && seconds <= 3600) return seconds * 1000
  throw new Error(`${action}: --every is "${text}", expected whole seconds from 1 to 3600`)
}
