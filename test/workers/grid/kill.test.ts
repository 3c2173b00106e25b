/** Durability: the process is killed in the middle of a session, and the session goes on with the same octets. */

import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { bundleWorkers } from '#bin/bundle-workers.ts'
import type { SessionDocument } from '#grid/configuration.ts'
import { createWorld, findTelecontrol, replay } from '#grid/engine.ts'
import { captureFrames } from '#grid/export/capture.ts'
import { encodeLabels } from '#grid/export/labels.ts'
import { encodePcap } from '#grid/export/pcap.ts'
import { showIncident } from '#grid/records/evidence.ts'
import { streamConfigurations } from '#grid/telecontrol/phasor-configuration.ts'
import type { Incident } from '#grid/types.ts'
import { makeFolder } from '../../support/folder.ts'
import { bundledWorker, startWorkerd } from '../../support/workerd.ts'

const token = 'd'.repeat(32)
const headers = { authorization: `Bearer ${token}` }

beforeAll(() => bundleWorkers(['grid']))

function start(folder: string) {
  return startWorkerd({ ...bundledWorker('grid'), vars: { GRID_TOKEN: token }, folder })
}

describe('killed three times in the middle of a session', () => {
  it('has the very frames, labels and incidents of a session that was never interrupted', async () => {
    const folder = makeFolder(onTestFinished)
    let server = await start(folder)
    const ask = async (path: string, body?: unknown) => {
      const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) }
      const response = await fetch(`${server.url}/api/v1${path}`, init)
      expect(response.status).toBe(200)
      return response
    }
    try {
      await ask('/sim/config', { seed: 11, start_time: 1_764_000_000, auto_pause_s: 0 })
      await ask('/sim/speed', { speed: 5 })
      for (const type of ['DELAY', 'REPLAY', 'IEC104_BREAKER_CMD']) {
        await ask('/attack/enable', { type, params: {} })
        await sleep(1_700)
        await server.kill()
        server = await start(folder)
        await ask('/simulation')
      }
      await ask('/attack/disable', {})
      await sleep(500)
      await ask('/sim/stop', {})
      const document = (await (await ask('/export/session')).json()) as SessionDocument
      const { incidents } = (await (await ask('/incidents?limit=0')).json()) as { incidents: Incident[] }
      const pcap = Buffer.from(await (await ask('/export/pcap')).arrayBuffer())
      const labels = await (await ask('/export/labels')).text()

      expect(document.commands.map(({ kind }) => kind)).toEqual(['clock', 'enable', 'enable', 'enable', 'disable'])
      expect(document.steps).toBeGreaterThan(200)
      const plan = findTelecontrol(createWorld(document.configuration))
      const configurations = new Map(
        plan.pmus.flatMap(({ idCode, link }) => {
          const configuration = streamConfigurations(plan, document.configuration.pmu_rate).get(link)
          return configuration === undefined ? [] : [[idCode, configuration] as const]
        }),
      )
      const outputs = [...replay(createWorld(document.configuration), document, document.steps)]
      const frames = outputs.flatMap((output) => output.frames)
      const again = JSON.parse(JSON.stringify(outputs.flatMap((output) => output.incidents.map(showIncident))))
      expect(incidents).toEqual(again)
      expect(pcap.equals(Buffer.concat([...encodePcap(captureFrames(frames, configurations))]))).toBe(true)
      const expected = Buffer.concat([...encodeLabels(captureFrames(frames, configurations))]).toString()
      // Compared as a whole first: a difference of thousands of lines cannot be read.
      expect(labels === expected).toBe(true)
    } finally {
      await server.kill()
    }
  })
})
