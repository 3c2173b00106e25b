/** A simulation inside its object for tests: its storage, its session with a clock, and batches of an outside simulator. */

import { env, runInDurableObject } from 'cloudflare:test'
import { encodeBase64 } from '#base/base64.ts'
import { defaultConfiguration } from '#grid/configuration.ts'
import type { PacketBatch } from '#grid/interface/ingest-requests.ts'
import type { GridEnv } from '#objects/grid/env.ts'
import { openClock } from '#objects/grid/simulation/clock.ts'
import { openPace } from '#objects/grid/simulation/pace.ts'
import { openSession } from '#objects/grid/simulation/session.ts'
import type { Publish } from '#objects/grid/simulation/session-step.ts'
import { openStepper } from '#objects/grid/simulation/stepper.ts'
import type { SimulationObject } from '#objects/grid/simulation.ts'
import type { SimulationStore } from '#objects/grid/storage/simulation.ts'
import { far, near } from '#test/support/grid-context.ts'
import { encodeUdpFrame, newHosts } from '#test/support/grid-frames.ts'

/** Runs a function in the object of a simulation with its state. */
export function inside<T>(name: string, look: (state: DurableObjectState) => T | Promise<T>): Promise<T> {
  // The test pool gives the bindings of wrangler.toml; these are the grid's.
  const { SIMULATION } = env as unknown as GridEnv
  return runInDurableObject(SIMULATION.getByName(name), (_: SimulationObject, state) => look(state))
}

/** A session with its own clock that does not pause. */
export const configuration = { ...defaultConfiguration, start_time: 1_764_000_000, auto_pause_s: 0 }

/** Publishes nothing. */
export const quiet = () => undefined

const bulky = encodeBase64(encodeUdpFrame(near, far, new Uint8Array(1_400).fill(1), newHosts()))

/** Packets of an outside simulator, some of which carry a frame. */
export function batchOf(seq: number, count: number, frames = 0): PacketBatch {
  const packets = Array.from({ length: count }, (_, index) => ({
    timestamp: seq,
    protocol: 'DNP3',
    status: 'clean',
    ...(index < frames ? { raw_b64: bulky } : {}),
  }))
  return { source: 'lab', seq, packets, rejected: [] }
}

/** A session of tables with a clock without listeners. */
export function openSimulationRun(store: SimulationStore, publish: Publish, nowMs: number) {
  const session = openSession(store, nowMs)
  const pace = openPace(session)
  const stepper = openStepper(session, pace, publish)
  const alarms = { getAlarm: async () => null, setAlarm: async () => undefined }
  const { pauseIfUnwatched } = openClock({
    session,
    pace,
    stepper,
    watchers: { direct: () => 0, all: () => 0 },
    alarms,
  })
  return { ...session, ...pace, ...stepper, pauseIfUnwatched }
}
