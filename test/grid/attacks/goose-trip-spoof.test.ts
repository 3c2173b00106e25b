/** GOOSE_TRIP_SPOOF: frames that a bay cannot tell from its own protection's. */

import { describe, expect, it } from 'vitest'
import { decodeGoose } from '#grid/protocols/goose.ts'
import { applyCommand } from '#grid/step/apply-command.ts'
import type { PacketRecord } from '#grid/types.ts'
import { techniqueOf } from '../../support/attack-catalogue.ts'
import { alarmNames, duel, incidentOf, openFrame } from '../../support/attack-session.ts'
import { calmStretch, enable, runSteps } from '../../support/grid-session.ts'

function gooseOf({ bytes }: PacketRecord) {
  const decoded = decodeGoose(bytes)
  if (!decoded.ok) throw new Error(decoded.fault.message)
  return decoded.value
}

describe('GOOSE_TRIP_SPOOF', () => {
  const run = duel('GOOSE_TRIP_SPOOF', { burst: 20 })
  const forged = run.attacked.frames.filter(({ label }) => label !== null)
  const honest = run.attacked.frames.filter(
    ({ src, label, protocol }) => src === forged[0]?.src && label === null && protocol === 'GOOSE',
  )

  it('has the address, tag, control block and data set of the real publisher, and the next state number', () => {
    const real = honest[0]
    if (real === undefined) throw new Error('the publisher was silent')
    for (const [index, frame] of forged.entries()) {
      const [forgery, message] = [gooseOf(frame), gooseOf(real)]
      const { stateNumber, sequenceNumber, entries, time: _, ...rest } = forgery.pdu
      const { stateNumber: state, sequenceNumber: __, entries: ___, time: ____, ...own } = message.pdu
      expect({ ...forgery, pdu: rest }).toEqual({ ...message, pdu: own })
      expect([stateNumber, sequenceNumber]).toEqual([state + 1, index])
      expect(entries).toEqual([
        { kind: 'boolean', value: true },
        { kind: 'boolean', value: false },
      ])
    }
  })

  it('sends its burst 4 ms apart over as many steps as it takes, and no frame more', () => {
    expect(forged).toHaveLength(20)
    const gaps = forged.slice(1).map(({ timeUs }, index) => timeUs - (forged[index]?.timeUs ?? 0))
    expect(gaps.filter((gap) => Math.abs(gap - 4_000) >= 50).length).toBe(2)
  })

  it('adds its frames and changes none; the publisher continues with its old state number', () => {
    const rest = (frames: readonly PacketRecord[]) =>
      frames.filter(({ protocol, label }) => protocol === 'GOOSE' && label === null).map(({ bytes }) => [...bytes])
    expect(rest(run.attacked.frames)).toEqual(rest(run.twin.frames))
    expect(new Set(honest.map((frame) => gooseOf(frame).pdu.stateNumber))).toEqual(new Set([1]))
  })

  it('is CRITICAL where the breaker moved and HIGH in its repetitions', () => {
    const incidents = forged.map((frame) => incidentOf(run.attacked, frame))
    expect(incidents.map((incident) => incident?.severity)).toEqual(['CRITICAL', ...Array(19).fill('HIGH')])
    expect(incidents[0]).toMatchObject({
      attack_id: run.attackId,
      attack_type: 'GOOSE_TRIP_SPOOF',
      technique: techniqueOf('GOOSE_TRIP_SPOOF'),
      src_ip: '02:00:5e:03:00:01',
      src_node: 'IED-1',
      dst_node: 'BAY-1',
      description: 'Forged GOOSE trip of CB-1-2, stNum 2, sqNum 0',
      impact: { effects: [{ breaker: 'CB-1-2', state: 'open', cause: 'GOOSE trip of IED-1' }] },
    })
    expect(incidents[0]).not.toHaveProperty('original_val')
    expect(incidents.slice(1).every((incident) => incident?.impact === undefined)).toBe(true)
  })

  it('moves the flow to other lines, which the station reports and the phasor unit measures', () => {
    const { attacked, twin } = duel('GOOSE_TRIP_SPOOF', {}, { steps: 60 })
    const [now, then] = [attacked.world.view, twin.world.view]
    expect(Math.abs(now.values['Pflow_1-2'] ?? 1)).toBeLessThan(0.05)
    expect(then.values['Pflow_1-2']).toBeGreaterThan(1)
    expect(now.values['Pflow_1-5']).toBeGreaterThan((then.values['Pflow_1-5'] ?? 0) + 0.5)
    expect(now.closed[1]).toBe(false)
    // PMU-1 is at bus 2; its first current is the one into line 1-2.
    const current = (view: typeof now) => view.phasors['PMU-1']?.phasors[1]?.magnitudePu ?? Number.NaN
    expect(current(now)).toBeLessThan(0.02)
    expect(current(then)).toBeGreaterThan(1)
  })

  it('is noticed by the breaker that opens, and by the state number that goes back at the device whose name was used', () => {
    expect(alarmNames(run.alarms)).toEqual(['breaker CB-1-2', 'sequence IED-1'])
  })

  it('continues from the highest state number on the wire: a second forgery opens the next breaker', () => {
    const { world } = calmStretch(20, { load_speed: 0 })
    enable(world, 'GOOSE_TRIP_SPOOF', { st_num_jump: 500 })
    runSteps(world, 10)
    enable(world, 'GOOSE_TRIP_SPOOF', { breaker: 'CB-1-5' })
    const { incidents } = runSteps(world, 10)
    expect(incidents.find(({ severity }) => severity === 'CRITICAL')?.description).toContain('stNum 502, sqNum 0')
    expect(world.plant.open).toEqual([1, 2])
  })

  it('does not hold the breaker: an operator closes it again', () => {
    const { attacked } = duel('GOOSE_TRIP_SPOOF', {}, { steps: 20 })
    applyCommand(attacked.world, { kind: 'switch', step: attacked.world.step, breaker: 'CB-1-2', closed: true })
    runSteps(attacked.world, 40)
    expect(attacked.world.plant.open).toEqual([])
  })

  it('keeps the frames whole', () => {
    for (const frame of forged) expect(openFrame(frame).carrier).toBe('ethernet')
  })
})
