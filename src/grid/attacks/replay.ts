/** REPLAY: frames are recorded, and then the recording is played in a loop instead of the truth. */

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
      return { kind: 'pass' }
    }
    const at = (frame - params.buffer_size) % Math.max(1, frames.length)
    const old = frames[at]
    if (old === undefined) return { kind: 'pass' }
    const payload = params.refresh_timestamps ? refresh(context, message, decodeHex(old)) : decodeHex(old)
    return { kind: 'modify', payload, description: `Replay of frame ${at + 1} of ${frames.length}` }
  },
})

function refresh(
  { configurationOf }: Pick<StepScene, 'configurationOf'>,
  message: Message,
  old: Uint8Array,
): Uint8Array {
  const configuration = configurationOf(message.link)
  const recorded = decodeC37118(old, configuration)
  const current = decodeC37118(message.payload, configuration)
  if (!recorded.ok || !current.ok) return old
  return encodeC37118({ ...recorded.value, time: current.value.time }, configuration)
}
