/**
 * A simulation dies again and again while a listener follows it: no incident is lost or heard twice, and what is
 * retained and exported has the same octets after the kill as before.
 */

import { createHash } from 'node:crypto'
import { get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { gatherViolations, grouped, type Soak, scaled, type Violations } from './outcome.ts'
import { prepareService, type Service } from './service.ts'

/** Everything of a stopped session that must not change. */
const retained = [
  '/incidents?limit=0',
  '/packets/recent?limit=0',
  '/export/csv',
  '/export/stix',
  '/export/pcap',
  '/export/pcapng',
  '/export/labels',
  '/export/session',
  '/attacks/current',
  '/grid/view',
]

/** Events that a listener has received so far. */
interface Heard {
  readonly ids: string[]
  lastEventId: string
  gaps: number
  connections: number
}

export const run: Soak = async (scale) => {
  const kills = scaled(50, scale)
  const violations = gatherViolations()
  const service = await prepareService()
  await service.start()
  await post(service, '/sim/config', { case: 'case14', seed: 5, auto_pause_s: 0 })
  await post(service, '/attack/enable', { type: 'NOISE', params: { noise_std: 3 } })
  const heard: Heard = { ids: [], lastEventId: '', gaps: 0, connections: 0 }
  let isListening = true
  const listener = follow(service, heard, () => isListening)
  for (let kill = 0; kill < kills; kill++) {
    await sleep(1_000 + (kill % 4) * 300)
    // Every other kill finds the session running; the others compare a stopped session with itself.
    if (kill % 2 === 0) {
      await service.kill()
      await service.start()
    } else {
      await post(service, '/sim/stop')
      const before = await digests(service)
      await service.kill()
      await service.start()
      const after = await digests(service)
      for (const [at, path] of retained.entries()) {
        if (before[at] !== after[at]) violations.add(`${path} changed with kill ${kill + 1}`)
      }
      await post(service, '/sim/start')
    }
  }
  await sleep(2_000)
  await post(service, '/sim/stop')
  const expected = await audible(service)
  const last = expected.at(-1)
  for (let waited = 0; waited < 100 && heard.ids.at(-1) !== last; waited++) await sleep(100)
  isListening = false
  await listener
  compare(heard, expected, violations)
  await service.stop()
  return {
    done: `${kills} kills, ${heard.connections} connections of one listener`,
    facts: [`${grouped(heard.ids.length)} incidents received, ${heard.gaps} gaps announced`],
    violations: violations.list(),
  }
}

/** Everything heard once and in order, and nothing of what is retained missing. */
function compare({ ids, gaps }: Heard, expected: readonly string[], violations: Violations): void {
  const twice = ids.length - new Set(ids).size
  if (twice > 0) violations.add(`${twice} incidents were heard twice`)
  const from = expected.indexOf(ids[0] ?? '')
  const known = from < 0 ? expected : expected.slice(from)
  const heard = new Set(ids)
  const lost = known.filter((id) => !heard.has(id))
  if (lost.length > 0)
    violations.add(`${lost.length} of ${known.length} incidents were not heard (${gaps} gaps announced)`)
  const order = ids.filter((id) => known.includes(id))
  if (lost.length === 0 && order.join() !== known.join()) violations.add('incidents were heard out of order')
}

const headers = (service: Service) => ({
  authorization: `Bearer ${service.tokens().GRID_TOKEN}`,
  'content-type': 'application/json',
})

async function read(service: Service, path: string): Promise<Buffer> {
  const response = await fetch(`${service.url}/api/v1${path}`, { headers: headers(service) })
  return Buffer.from(await response.arrayBuffer())
}

async function post(service: Service, path: string, body: unknown = {}): Promise<void> {
  const init = { method: 'POST', headers: headers(service), body: JSON.stringify(body) }
  const response = await fetch(`${service.url}/api/v1${path}`, init)
  const text = await response.text()
  if (!response.ok) throw new Error(`${path} was answered ${response.status} ${text}`)
}

async function digests(service: Service): Promise<readonly string[]> {
  const found: string[] = []
  for (const path of retained) {
    found.push(
      createHash('sha256')
        .update(await read(service, path))
        .digest('hex'),
    )
  }
  return found
}

/** The ids of retained incidents that listeners get, oldest first. */
async function audible(service: Service): Promise<readonly string[]> {
  const { incidents } = JSON.parse((await read(service, '/incidents?limit=0')).toString()) as {
    incidents: readonly { readonly id: string; readonly status: string }[]
  }
  return incidents.filter(({ status }) => status === 'attacked' || status === 'dropped').map(({ id }) => id)
}

/** Listens with `Last-Event-ID` after each break, as a browser does. */
async function follow(service: Service, heard: Heard, isListening: () => boolean): Promise<void> {
  while (isListening()) {
    await new Promise<void>((resolve) => {
      const resumed = heard.lastEventId === '' ? {} : { 'last-event-id': heard.lastEventId }
      const url = `${service.url}/api/v1/events?ids=1&topics=incident,gap`
      const request = get(url, { headers: { ...headers(service), ...resumed } }, (response) => {
        heard.connections += 1
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => {
          text += chunk
          for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
            hear(text.slice(0, end), heard)
            text = text.slice(end + 2)
          }
        })
        response.on('close', () => resolve())
      })
      const timer = setInterval(() => isListening() || request.destroy(), 100)
      request.on('error', () => resolve())
      request.on('close', () => {
        clearInterval(timer)
        resolve()
      })
    })
    await sleep(50)
  }
}

function hear(event: string, heard: Heard): void {
  const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(event)?.[1]
  heard.lastEventId = field('id') ?? heard.lastEventId
  if (field('event') === 'gap') heard.gaps += 1
  if (field('event') === 'incident') heard.ids.push(JSON.parse(field('data') ?? '{}').id)
}
