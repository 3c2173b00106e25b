/** IEC 104 stations: what each message acknowledges when it leaves. */

import { describe, expect, it } from 'vitest'
import { decodeIec104 } from '../../../../src/grid/protocols/iec104.ts'
import { openFrame } from '../../../support/attack-session.ts'
import { enable, runSteps, type Stretch, startWorld } from '../../../support/grid-session.ts'

/** The N(R) of every I- and S-format beside the number of I-formats that had come from the other end by then. */
function acknowledgments({
  frames,
}: Stretch): readonly { readonly told: number; readonly received: number }[] {
  const sent = new Map<string, number>()
  return frames.flatMap((frame) => {
    const link = frame.protocol === 'IEC104' && frame.payloadLength > 0 ? openFrame(frame) : undefined
    const decoded = link?.carrier === 'tcp' ? decodeIec104(link.payload) : undefined
    if (decoded?.ok !== true || decoded.value.format === 'U') return []
    const received = sent.get(`${frame.dst} ${frame.src}`) ?? 0
    const own = `${frame.src} ${frame.dst}`
    if (decoded.value.format === 'I') sent.set(own, (sent.get(own) ?? 0) + 1)
    return [{ told: decoded.value.receiveSequence, received }]
  })
}

describe('IEC 104 stations', () => {
  it('acknowledge in every message what had arrived when it left, however long it had waited', () => {
    const world = startWorld()
    const parts = [runSteps(world, 41)]
    // A sweep queues commands whose answers come while later ones still wait.
    enable(world, 'IEC104_BREAKER_CMD', { ioa_from: 1001, ioa_to: 1012, interval_ms: 10 })
    parts.push(runSteps(world, 60))
    const told = acknowledgments({
      ...(parts[0] ?? runSteps(world, 0)),
      frames: parts.flatMap(({ frames }) => frames),
    })
    expect(told.length).toBeGreaterThan(60)
    expect(told.filter(({ told: number, received }) => number !== received)).toEqual([])
  })
})
