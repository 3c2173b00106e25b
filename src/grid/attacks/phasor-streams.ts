/** Attacks on the streams of phasor data as a whole: frames that come late, never, or again. */

import { decodeHex, encodeHex } from '../../base/hex.ts'
import { decodeC37118, encodeC37118 } from '../protocols/c37118.ts'
import type { StepScene } from '../step/step-context.ts'
import type { Message } from '../telecontrol/message.ts'
import { defineAttack } from './definition.ts'
import { falsePhasors } from './phasor-frames.ts'
import { techniques } from './techniques.ts'

/** Records buffer_size frames of each stream, then loops them. */
export const replay = defineAttack({
  ...falsePhasors,
  type: 'REPLAY',
  name: 'Record and replay',
  secondaryTechniques: [techniques.adversaryInTheMiddle, techniques.manipulationOfView],
  params: {
    buffer_size: { type: 'integer', default: 30, min: 1, max: 300, unit: 'frames' },
    refresh_timestamps: {
      type: 'boolean',
      default: false,
      description: 'gives replayed frames the time of the frames that they replace',
    },
  },
  frameEffect: 'N frames are recorded, then looped; old time stamps unless refresh_timestamps',
  gridEffect: 'the operator sees a loop while the grid moves on',
  expectedDetection: 'time stamps that go back, or exact repetition and a mismatch after the load changed',
  alter(message, { context, params, memory, frame }) {
    const recorded = memory[message.link]
    const frames = Array.isArray(recorded) ? (recorded as readonly string[]) : [] // only this attack writes it, below
    if (frame < params.buffer_size) {
      memory[message.link] = [...frames, encodeHex(message.payload)]
      return undefined
    }
    const at = (frame - params.buffer_size) % Math.max(1, frames.length)
    const old = frames[at]
    if (old === undefined) return undefined
    const payload = params.refresh_timestamps ? refresh(context, message, decodeHex(old)) : decodeHex(old)
    return { kind: 'modify', payload, description: `Replay of frame ${at + 1} of ${frames.length}` }
  },
})

function refresh({ configurationOf }: StepScene, message: Message, old: Uint8Array): Uint8Array {
  const configuration = configurationOf(message.link)
  const recorded = decodeC37118(old, configuration)
  const current = decodeC37118(message.payload, configuration)
  if (!recorded.ok || !current.ok) return old
  return encodeC37118({ ...recorded.value, time: current.value.time }, configuration)
}

/** Holds every frame for a while; the order of a stream stays. */
export const delay = defineAttack({
  ...falsePhasors,
  type: 'DELAY',
  name: 'Delay',
  technique: techniques.adversaryInTheMiddle,
  secondaryTechniques: [techniques.denialOfView],
  params: {
    delay_ms: { type: 'number', default: 100, min: 0, max: 5000, unit: 'ms' },
    jitter_ms: { type: 'number', default: 0, min: 0, max: 1000, unit: 'ms' },
  },
  frameEffect: 'content unchanged; the arrival is later than the time stamp by the delay',
  gridEffect: 'a stale view; secondary control lags',
  expectedDetection: 'arrival less time stamp, frames that come too late for the concentrator',
  alter(_, { params: { delay_ms, jitter_ms }, random }) {
    const delayMs = delay_ms + jitter_ms * random()
    const description = `Delayed by ${delayMs.toFixed(1)} ms`
    return { kind: 'delay', delayUs: Math.round(delayMs * 1000), description }
  },
})

/** Drops frames at random. */
export const drop = defineAttack({
  ...falsePhasors,
  type: 'DROP',
  name: 'Random packet drop',
  technique: techniques.blockReporting,
  secondaryTechniques: [techniques.denialOfView],
  severity: 'MEDIUM',
  status: 'dropped',
  params: { drop_percent: { type: 'number', default: 20, min: 0, max: 100, unit: '%' } },
  frameEffect: 'the frame is seen before the attacker and not after him',
  gridEffect: 'gaps in the measured view; the estimate loses redundancy',
  expectedDetection: 'missing time stamps at the concentrator, stale units',
  silences: ({ drop_percent }) => drop_percent === 100,
  alter(_, { params: { drop_percent }, random }) {
    if (random() * 100 >= drop_percent) return undefined
    return { kind: 'drop', description: `Dropped (${drop_percent} % of frames)` }
  },
})
