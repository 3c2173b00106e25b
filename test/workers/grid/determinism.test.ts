/** Determinism over HTTP: what a session is made of decides every byte that it gives out, with anything in between. */

import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { decodeUtf8 } from '#base/utf8.ts'
import { bundleWorkers } from '#bin/bundle-workers.ts'
import type { Configuration } from '#grid/configuration.ts'
import { makeFolder } from '../../support/folder.ts'
import { type GridClient, gridClient, gridToken } from '../../support/grid-service.ts'
import { bundledWorker, startWorkerd } from '../../support/workerd.ts'

/** The orders of a run by step. */
const script: readonly (readonly [step: number, act: (client: GridClient) => Promise<unknown>])[] = [
  [60, (client) => client.enable('NOISE', { noise_std: 2, add_freq_noise: true })],
  [90, (client) => client.enable('DELAY', { delay_ms: 350, jitter_ms: 200 })],
  [130, (client) => client.post('/grid/breaker', { breaker: 'CB-2-3', closed: false })],
  [170, (client) => client.enable('IEC104_BREAKER_CMD')],
  [210, (client) => client.post('/grid/load', { scale: 1.1 })],
  [240, (client) => client.enable('DROP', { drop_percent: 50 })],
  [290, (client) => client.post('/attack/disable', { type: 'NOISE' })],
  [333, (client) => client.post('/attack/disable')],
  [400, async () => undefined],
]

/** Exports that must be the same, byte for byte. */
interface Outcome {
  readonly pcap: Uint8Array
  readonly pcapng: Uint8Array
  readonly labels: string
  readonly csv: string
  readonly incidents: string
  readonly packets: string
}

beforeAll(() => bundleWorkers(['grid']))

/** Plays the script in a separate workerd; `killed` ends it with SIGKILL after every act. */
async function play(change: Partial<Configuration>, options: { readonly killed: boolean }): Promise<Outcome> {
  const folder = makeFolder(onTestFinished)
  const start = () => startWorkerd({ ...bundledWorker('grid'), vars: { GRID_TOKEN: gridToken }, folder })
  let server = await start()
  try {
    let client = gridClient(server.url)
    await client.standAt(30, change)
    let at = 30
    for (const [step, act] of script) {
      await client.step(step - at)
      at = step
      await act(client)
      if (options.killed) {
        await server.kill()
        server = await start()
        client = gridClient(server.url)
      }
    }
    return {
      pcap: await client.download('/export/pcap'),
      pcapng: await client.download('/export/pcapng'),
      labels: decodeUtf8(await client.download('/export/labels')),
      csv: decodeUtf8(await client.download('/export/csv')),
      incidents: decodeUtf8(await client.download('/incidents?limit=0')),
      packets: decodeUtf8(await client.download('/packets/recent?limit=0')),
    }
  } finally {
    await server.kill()
  }
}

/** Names the parts of two outcomes that differ; a difference of megabytes cannot be read. */
function differences(left: Outcome, right: Outcome): readonly string[] {
  const keys = ['pcap', 'pcapng', 'labels', 'csv', 'incidents', 'packets'] as const
  return keys.filter((key) => Buffer.compare(toBuffer(left[key]), toBuffer(right[key])) !== 0)
}

function toBuffer(value: string | Uint8Array): Buffer {
  return typeof value === 'string' ? Buffer.from(value) : Buffer.from(value)
}

describe('two runs with the same seed and the same commands at the same steps', () => {
  it.each(['case14', 'case39'] as const)(
    'give the same bytes for %s, one of them with SIGKILL after every command',
    async (name) => {
      const straight = await play({ case: name }, { killed: false })
      expect(straight.pcap.length).toBeGreaterThan(50_000)
      expect(straight.incidents).toMatch(/"status": "attacked"/)
      expect(straight.incidents).toMatch(/"status": "dropped"/)
      expect(differences(straight, await play({ case: name }, { killed: true }))).toEqual([])
    },
    120_000,
  )

  it('give the same bytes without SIGKILL, and others for another seed', async () => {
    const [one, again] = [await play({ seed: 1 }, { killed: false }), await play({ seed: 1 }, { killed: false })]
    expect(differences(one, again)).toEqual([])
    const other = await play({ seed: 2 }, { killed: false })
    expect(differences(one, other)).toEqual(['pcap', 'pcapng', 'labels', 'csv', 'incidents', 'packets'])
  })
})
