/**
 * Prints what attacks do to a running simulation (npm start), one line for each incident as it happens:
 *
 *   2026-11-21T00:10:00.200000+00:00 attacked HIGH   C37.118 10.20.2.11 -> 10.20.1.10 NOISE: Noise std 1 V
 *
 * Run: GRID_TOKEN=... node bin/run.mjs examples/grid/watch-incidents.ts [URL] [COUNT]
 * URL is that of the service (http://127.0.0.1:8080); after COUNT incidents it ends, else it goes on until Ctrl-C.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { readEvents } from '../../src/base/event-stream.ts'
import type { Incident } from '../../src/grid/types.ts'

/** Milliseconds between a lost connection and the next. */
const retryMs = 3_000

const [url = 'http://127.0.0.1:8080', countText = 'Infinity'] = process.argv.slice(2)
const headers = { authorization: `Bearer ${process.env.GRID_TOKEN ?? ''}` }

let left = Number(countText)
let lastEventId = ''

while (left > 0) {
  try {
    await watch()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    console.error(`${error.message}; trying again in ${retryMs / 1000} s`)
  }
  if (left > 0) await sleep(retryMs)
}

/** Prints until the connection ends; identifiers let the next one begin where this one stopped. */
async function watch(): Promise<void> {
  const response = await fetch(`${url}/api/v1/events?ids=1`, {
    headers: { ...headers, ...(lastEventId === '' ? {} : { 'last-event-id': lastEventId }) },
  })
  if (!response.ok) {
    console.error(`Cannot watch: ${response.status} ${await response.text()}`)
    process.exit(1)
  }
  for await (const event of readEvents(response.body, lastEventId)) {
    lastEventId = event.lastEventId
    // Nothing but incidents: no other topic was asked for.
    console.log(describe(JSON.parse(event.data)))
    left -= 1
    if (left <= 0) return
  }
}

function describe(incident: Incident): string {
  const { timestamp_iso, status, severity = '', protocol, src_ip, dst_ip, attack_type, description } = incident
  const path = `${src_ip ?? '?'} -> ${dst_ip ?? '?'}`
  return `${timestamp_iso} ${status} ${severity.padEnd(6)} ${protocol} ${path} ${attack_type}: ${description ?? ''}`
}
