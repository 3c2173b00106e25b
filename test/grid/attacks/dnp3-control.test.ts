/** DNP3_CONTROL: relay blocks with right checksums and wrong sequence numbers. */

import { describe, expect, it } from 'vitest'
import { findTelecontrol } from '#grid/engine.ts'
import { decodeDnp3 } from '#grid/protocols/dnp3.ts'
import { dnp3Flag } from '#grid/protocols/dnp3-points.ts'
import type { PacketRecord } from '#grid/types.ts'
import { techniqueOf } from '../../support/attack-catalogue.ts'
import { alarmNames, type Duel, duel, incidentOf, payloadOf } from '../../support/attack-session.ts'
import { calmStretch, enable, runSteps, startWorld } from '../../support/grid-session.ts'

function messageOf(frame: PacketRecord) {
  const decoded = decodeDnp3(payloadOf(frame))
  if (!decoded.ok) throw new Error(decoded.fault.message)
  return decoded.value
}

/** The traffic between master and outstation 2 over any connection. */
function traffic({ frames }: Duel['attacked']) {
  return frames
    .filter(({ protocol, src, dst }) => protocol === 'DNP3' && `${src} ${dst}`.includes('10.20.1.2:'))
    .map((frame) => ({ frame, message: messageOf(frame) }))
}

describe('DNP3_CONTROL', () => {
  const run = duel('DNP3_CONTROL')

  it('sends one control block in the name of the master, whose CRCs are right', () => {
    const forged = traffic(run.attacked).filter(({ frame }) => frame.label !== null)
    expect(forged).toHaveLength(1)
    expect(forged[0]?.message).toMatchObject({
      fromMaster: true,
      source: 1,
      destination: 11,
      fragment: {
        functionCode: 'direct_operate',
        objects: [{ kind: 'control', qualifier: 'index8', points: [{ index: 0, code: 0x81, count: 1, status: 0 }] }],
      },
    })
    expect(forged[0]?.frame.src).toMatch(/^10\.20\.0\.10:/)
  })

  it('jumps in the application sequence, and uses up no number of the real master', () => {
    const numbers = ({ attacked, twin }: Duel) =>
      [attacked, twin].map((own) =>
        traffic(own)
          .filter(({ message }) => message.fragment.functionCode === 'read')
          .map(({ message }) => message.fragment.control.sequence),
      )
    const [real, calm] = numbers(run)
    expect(real).toEqual(calm)
    const forged = traffic(run.attacked).find(({ frame }) => frame.label !== null)
    expect(real).not.toContain(forged?.message.fragment.control.sequence)
  })

  it('opens the breaker, is CRITICAL for it, and the outstation reports that by itself', () => {
    const frame = run.attacked.frames.find(({ label }) => label !== null)
    expect(frame === undefined ? undefined : incidentOf(run.attacked, frame)).toMatchObject({
      attack_id: run.attackId,
      attack_type: 'DNP3_CONTROL',
      technique: techniqueOf('DNP3_CONTROL'),
      status: 'attacked',
      severity: 'CRITICAL',
      description: 'Forged direct_operate of point 0 (trip) at RTU-2',
      impact: { effects: [{ breaker: 'CB-2-3', state: 'open' }] },
    })
    const report = traffic(run.attacked).find(({ message }) => message.fragment.functionCode === 'unsolicited_response')
    expect(report?.frame.label).toBeNull()
    expect(report?.message.fragment.objects).toMatchObject([
      { kind: 'binary_input_event', points: [{ index: 0, flags: dnp3Flag.online }] },
    ])
    expect(run.attacked.world.plant.open).toEqual([3])
    expect(run.attacked.world.view.closed[3]).toBe(false)
  })

  it('is noticed by the answer to a command that was never sent, and by the breaker that moved', () => {
    expect(alarmNames(run.alarms)).toEqual(['breaker CB-2-3', 'unordered_command RTU-2'])
  })

  it('from its own host is noticed as a second master and an unknown writer', () => {
    const { alarms } = duel('DNP3_CONTROL', { spoof_master: false, function: 'direct_operate_no_ack' })
    expect(alarmNames(alarms)).toEqual(['breaker CB-2-3', 'second_master RTU-2', 'unknown_writer RTU-2'])
  })

  it.each([
    ['direct_operate', ['direct_operate', 'response']],
    ['select_operate', ['select', 'response', 'operate', 'response']],
    ['direct_operate_no_ack', ['direct_operate_no_ack']],
  ])('by %s from its own host is a new session, answered as the function asks', (way, functions) => {
    const own = duel('DNP3_CONTROL', { function: way, spoof_master: false })
    const rogue = traffic(own.attacked).filter(({ frame }) => frame.label !== null)
    expect(rogue.map(({ message }) => message.fragment.functionCode)).toEqual(functions)
    expect(own.attacked.world.plant.open).toEqual([3])
    const kept = own.attacked.world.connections
    expect(Object.keys(kept).filter((id) => id.includes('DNP3_CONTROL'))).toEqual([])
  })

  it('selects and operates with numbers that follow each other', () => {
    const forged = traffic(duel('DNP3_CONTROL', { function: 'select_operate' }).attacked).filter(
      ({ frame }) => frame.label !== null,
    )
    const [select, operate] = forged.map(({ message }) => message.fragment.control.sequence)
    expect(operate).toBe(((select ?? 0) + 1) % 16)
  })

  it('is answered "not supported" at a point without a breaker', () => {
    const own = duel('DNP3_CONTROL', { point: 99, spoof_master: false })
    const answer = traffic(own.attacked).find(({ frame, message }) => frame.label !== null && !message.fromMaster)
    expect(answer?.message.fragment.objects).toMatchObject([{ points: [{ index: 99, status: 4 }] }])
    expect(own.attacked.world.plant).toEqual(own.twin.world.plant)
  })

  it('closes what it opened, at the outstation that the target names', () => {
    const { world } = calmStretch(40, { load_speed: 0 })
    const target_link = 'CC--RTU-5'
    const { branches } = findTelecontrol(world).outstations.find(({ link }) => link === target_link) ?? { branches: [] }
    enable(world, 'DNP3_CONTROL', { target_link, control: 'latch_off' })
    runSteps(world, 10)
    expect(world.plant.open).toEqual([branches[0]])
    enable(world, 'DNP3_CONTROL', { target_link, control: 'close' })
    runSteps(world, 10)
    expect(world.plant.open).toEqual([])
  })

  it('waits for the master session when there is none yet', () => {
    const world = startWorld()
    enable(world, 'DNP3_CONTROL')
    runSteps(world, 20)
    expect(world.plant.open).toEqual([3])
  })
})
