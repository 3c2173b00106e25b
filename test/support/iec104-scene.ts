/** The IEC 104 outstation RTU-1 in an open step, and the ASDUs that it queues: for tests of its messages. */

import { decodeIec104 } from '#grid/protocols/iec104.ts'
import type { Iec104Asdu } from '#grid/protocols/iec104-asdu.ts'
import { newIec104Link } from '#grid/protocols/iec104-link.ts'
import type { StepContext } from '#grid/step/step-context.ts'
import type { Sample } from '#grid/step/world.ts'
import { stationScene } from './grid-stations.ts'
import { mustDecode } from './must.ts'

/** The control centre's session with RTU-1, which has the common address 1, with data transfer started at both ends. */
export function startedIec104(sample?: Sample) {
  const scene = stationScene('IEC104', 'RTU-1', sample)
  const { dialogue } = scene.connection
  dialogue.client = { ...newIec104Link, isStarted: true }
  dialogue.server = { ...newIec104Link, isStarted: true }
  return { ...scene, dialogue }
}

/** Lists the ASDUs in the queue of a step; throws for an APDU without one. */
export function queuedAsdus({ queue }: StepContext): readonly Iec104Asdu[] {
  return queue.map(({ payload }) => {
    const apdu = mustDecode(decodeIec104(payload))
    if (apdu.format !== 'I') throw new Error(`${apdu.format} is not I`)
    return apdu.asdu
  })
}

/** The ASDUs in the queue as text: type, cause, sign, and microseconds after the step's start. */
export function describeAsdus(context: StepContext): readonly string[] {
  return queuedAsdus(context).map(({ type, cause, isNegative }, index) => {
    const afterUs = (context.queue[index]?.timeUs ?? Number.NaN) - context.startUs
    return `${type} ${cause}${isNegative ? ' negative' : ''} +${afterUs}`
  })
}
