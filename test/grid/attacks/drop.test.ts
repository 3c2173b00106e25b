/** DROP: frames that were sent and never arrive. */

import { describe, expect, it } from 'vitest'
import { encodeHex } from '../../../src/base/hex.ts'
import { techniqueOf } from '../../support/attack-catalogue.ts'
import {
  alarmNames,
  duel,
  handled,
  incidentOf,
  octetsOf,
  openFrame,
  payloadOf,
} from '../../support/attack-session.ts'

describe('DROP', () => {
  it('takes frames away and changes no octet of those that it lets pass', () => {
    const run = duel('DROP', { drop_percent: 50, target_link: 'PMU-2--PDC' })
    const lost = handled(run.attacked)
    const gone = new Set(lost.map(({ before }) => `${before.timeUs} ${before.src}`))
    const messages = ({ frames }: Pick<typeof run.twin, 'frames'>) =>
      frames
        .filter((frame) => frame.payloadLength > 0 && !gone.has(`${frame.timeUs} ${frame.src}`))
        .map((frame) => `${frame.timeUs} ${frame.src} ${encodeHex(payloadOf(frame))}`)
    expect(messages(run.attacked)).toEqual(messages(run.twin))
    expect(lost.length).toBeGreaterThan(8)
    expect(lost.every(({ after }) => after === undefined)).toBe(true)
  })

  it('tells of each lost frame what was sent, that nothing arrived, and the length that was meant to', () => {
    const { attacked, attackId } = duel('DROP', { drop_percent: 100 }, { steps: 20 })
    const packets = attacked.outputs.flatMap(({ packets: list }) => list)
    for (const { before } of handled(attacked)) {
      const incident = incidentOf(attacked, before)
      const told = { attack_id: attackId, attack_type: 'DROP', technique: techniqueOf('DROP') }
      expect(before).toMatchObject({ tap: 'before', status: 'dropped', label: { ...told, changes: [] } })
      expect(incident).toMatchObject({ ...told, status: 'dropped', severity: 'MEDIUM', dst_node: 'PDC' })
      expect(incident).toHaveProperty('original_val')
      expect(incident).not.toHaveProperty('modified_val')
      expect(packets.find(({ frame_no }) => frame_no === before.frameNo)).toMatchObject({
        status: 'dropped',
        attack: 'DROP',
        forwarded: false,
        len: payloadOf(before).length,
      })
    }
    expect(attacked.world.totals.dropped_packets).toBe(handled(attacked).length)
  })

  it('leaves no hole in the TCP sequence numbers that the receiver sees', () => {
    const { attacked } = duel('DROP', { drop_percent: 60, target_link: 'PMU-4--PDC' }, { steps: 100 })
    const seen = attacked.frames
      .filter(
        ({ src, tap, payloadLength }) => src.startsWith('10.20.2.4:') && tap === 'after' && payloadLength > 0,
      )
      .map(openFrame)
      .flatMap((link) =>
        link.carrier === 'tcp' ? [{ at: link.segment.sequence, length: link.payload.length }] : [],
      )
    expect(seen.length).toBeGreaterThan(5)
    for (const [index, { at, length }] of seen.slice(0, -1).entries()) {
      expect(seen[index + 1]?.at).toBe((at + length) % 2 ** 32)
    }
  })

  it('is seen by the gaps between time stamps, and as silence when nothing is left', () => {
    expect(alarmNames(duel('DROP', { drop_percent: 50 }).alarms)).toEqual([
      'missing PMU-1',
      'missing PMU-2',
      'missing PMU-3',
      'missing PMU-4',
    ])
    const silent = duel('DROP', { drop_percent: 100 })
    expect(alarmNames(silent.alarms)).toEqual(['stale PMU-1', 'stale PMU-2', 'stale PMU-3', 'stale PMU-4'])
  })

  it('of nothing lets everything pass', () => {
    const { attacked, twin } = duel('DROP', { drop_percent: 0 })
    expect(octetsOf(attacked.frames)).toEqual(octetsOf(twin.frames))
  })
})
