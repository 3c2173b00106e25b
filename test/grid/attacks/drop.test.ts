/** DROP: frames that were sent and never arrive. */

import { describe, expect, it } from 'vitest'
import { encodeHex } from '#base/hex.ts'
import { techniqueOf } from '../../support/attack-catalogue.ts'
import {
  alarmNames,
  disableAll,
  duel,
  handled,
  incidentOf,
  octetsOf,
  openFrame,
  payloadOf,
} from '../../support/attack-session.ts'
import { changesIn, runSteps } from '../../support/grid-session.ts'

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

  it('records of each lost frame what was sent, that nothing arrived, and the intended length', () => {
    const { attacked, attackId } = duel('DROP', { drop_percent: 100 }, { steps: 20 })
    const packets = attacked.outputs.flatMap(({ packets: list }) => list)
    for (const { before } of handled(attacked)) {
      const incident = incidentOf(attacked, before)
      const told = { attack_id: attackId, attack_type: 'DROP', technique: techniqueOf('DROP') }
      expect(before).toMatchObject({ tap: 'before', status: 'dropped', label: told })
      expect(changesIn(before)).toEqual([])
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

  it('over TCP spends the numbers of what it takes, and takes it again each time that the unit sends it again', () => {
    const { attacked } = duel('DROP', { drop_percent: 60, target_link: 'PMU-4--PDC' }, { steps: 90 })
    const ofUnit = attacked.frames.filter(({ src }) => src.startsWith('10.20.2.4:'))
    const numbersOf = (frames: typeof ofUnit) =>
      frames.map(openFrame).flatMap((link) => (link.carrier === 'tcp' ? [link.segment.sequence] : []))
    const sent = ofUnit.filter(({ payloadLength }) => payloadLength > 0)
    const unaltered = sent.filter(({ tap, status }) => tap === 'before' || status === 'clean')
    expect(new Set(numbersOf(unaltered)).size).toBe(unaltered.length)
    expect(unaltered.length).toBe(45)
    const [lost] = sent.filter(({ status }) => status === 'dropped')
    const again = ofUnit.filter(({ payloadLength, status }) => payloadLength === 0 && status === 'dropped')
    expect(again.length).toBeGreaterThanOrEqual(4)
    expect(again.every(({ tap, label }) => tap === 'before' && label?.attack_type === 'DROP')).toBe(true)
    if (lost === undefined) throw new Error('nothing was lost')
    expect(new Set(numbersOf(again))).toEqual(new Set(numbersOf([lost])))
    const waits = again.map(({ timeUs }, index) => timeUs - ((index === 0 ? lost : again[index - 1])?.timeUs ?? 0))
    for (const [index, wanted] of [204_000, 408_000, 816_000, 1_632_000].entries()) {
      expect(Math.abs((waits[index] ?? 0) - wanted)).toBeLessThan(50)
    }
  })

  it('over TCP keeps all that was sent after a lost frame from the concentrator, until it ends', () => {
    const { attacked } = duel('DROP', { drop_percent: 100, target_link: 'PMU-4--PDC' }, { steps: 20 })
    const heardUs = () => attacked.world.view.phasors['PMU-4']?.measuredUs ?? 0
    const before = heardUs()
    runSteps(attacked.world, 10)
    expect(heardUs()).toBe(before)
    disableAll(attacked.world)
    // The unit has doubled its wait four times by now.
    const { frames } = runSteps(attacked.world, 45)
    expect(attacked.world.clock.timeUs + attacked.world.step * 100_000 - heardUs()).toBeLessThan(300_000)
    const [again] = frames.filter(({ protocol, src }) => protocol === 'TCP' && src.startsWith('10.20.2.4:'))
    expect(again).toMatchObject({ status: 'clean', label: null, tap: 'after' })
    expect(attacked.world.connections['PMU-4--PDC#pdc']?.transit?.server?.segments).toEqual([])
  })

  it('over TCP ends with a new connection, which the concentrator opens after ten seconds without data', () => {
    const { attacked } = duel('DROP', { drop_percent: 100, target_link: 'PMU-4--PDC' }, { steps: 230 })
    const control = attacked.frames
      .filter(({ flow }) => flow.includes('10.20.2.4:4712'))
      .map((frame) => ({ frame, link: openFrame(frame) }))
      .flatMap(({ frame, link }) =>
        link.carrier === 'tcp' ? [{ timeUs: frame.timeUs, bits: link.segment.control.join('+') }] : [],
      )
    expect(control.filter(({ bits }) => bits === 'ack+rst')).toHaveLength(2)
    expect(control.filter(({ bits }) => bits === 'syn')).toHaveLength(2)
    expect(attacked.world.connections['PMU-4--PDC#pdc']?.transit?.server?.segments.length).toBeLessThan(60)
  })

  it('is seen by the gaps between time stamps, and as silence when nothing is left', () => {
    // The fourth reports over TCP, which delivers nothing that follows a gap.
    expect(alarmNames(duel('DROP', { drop_percent: 50 }).alarms)).toEqual([
      'missing PMU-1',
      'missing PMU-2',
      'missing PMU-3',
      'stale PMU-4',
    ])
    const silent = duel('DROP', { drop_percent: 100 })
    expect(alarmNames(silent.alarms)).toEqual(['stale PMU-1', 'stale PMU-2', 'stale PMU-3', 'stale PMU-4'])
  })

  it('of nothing lets everything pass', () => {
    const { attacked, twin } = duel('DROP', { drop_percent: 0 })
    expect(octetsOf(attacked.frames)).toEqual(octetsOf(twin.frames))
  })
})
