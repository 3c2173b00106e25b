/** MODBUS_CMD_INJECT: whole sessions of a foreign host, writes inside the real one, and what the unit does. */

import { describe, expect, it } from 'vitest'
import { decodeModbusRequest, decodeModbusResponse } from '#grid/protocols/modbus.ts'
import { techniqueOf } from '../../support/attack-catalogue.ts'
import {
  alarmNames,
  type Duel,
  detectors,
  duel,
  incidentOf,
  openFrame,
  payloadOf,
} from '../../support/attack-session.ts'
import { enable, runSteps, startWorld } from '../../support/grid-session.ts'

/** Requests of the attacker and their answers, in order. */
function exchange({ attacked }: Duel) {
  return attacked.frames
    .filter(({ label, protocol }) => label !== null && protocol === 'Modbus')
    .map((frame) => {
      const decoded = frame.dst.endsWith(':502')
        ? decodeModbusRequest(payloadOf(frame))
        : decodeModbusResponse(payloadOf(frame))
      if (!decoded.ok) throw new Error(decoded.fault.message)
      return decoded.value
    })
}

describe('MODBUS_CMD_INJECT', () => {
  const run = duel('MODBUS_CMD_INJECT', { count: 3 })

  it('writes a coil three times in a new session: handshake, requests and answers, farewell', () => {
    const pdu = { kind: 'write_single_coil', address: 0, value: false }
    expect(exchange(run)).toEqual([1, 1, 2, 2, 3, 3].map((transactionId) => ({ transactionId, unitId: 1, pdu })))
    const own = run.attacked.frames.filter(({ src, dst }) => `${src} ${dst}`.includes('10.20.0.66'))
    const controls = own
      .map(openFrame)
      .flatMap((link) => (link.carrier === 'tcp' ? [[...link.segment.control].sort().join('+')] : []))
    expect(controls.slice(0, 3)).toEqual(['syn', 'ack+syn', 'ack'])
    expect(controls.filter((control) => control.includes('fin'))).toHaveLength(2)
    expect(own.every(({ status, label }) => status === 'attacked' && label?.attack_id === run.attackId)).toBe(true)
  })

  it('reports each write, and its effect only where there was one', () => {
    const writes = run.attacked.incidents.filter(({ status, dst_port }) => status === 'attacked' && dst_port === 502)
    expect(writes.map(({ impact }) => impact)).toEqual([
      { effects: [{ breaker: 'CB-3-4', state: 'open', cause: 'Modbus write to RTU-3 coil 0' }] },
      undefined,
      undefined,
    ])
    for (const write of writes) {
      expect(write).toMatchObject({
        attack_id: run.attackId,
        technique: techniqueOf('MODBUS_CMD_INJECT'),
        severity: 'HIGH',
        src_node: 'THREAT',
        dst_node: 'RTU-3',
        description: 'Injected write_single_coil of 0 to address 0 of unit 1',
      })
    }
  })

  it('leaves the control centre as many polls as before, and the next one reports the open breaker', () => {
    expect(run.attacked.world.view.closed[6]).toBe(false)
    const frames = (own: Duel['twin']) =>
      own.frames.filter(({ label, src, dst }) => label === null && `${src} ${dst}`.includes('10.20.1.6'))
    expect(frames(run.attacked)).toHaveLength(frames(run.twin).length)
    expect(alarmNames(run.alarms)).toEqual(['breaker CB-3-4', 'second_master RTU-3', 'unknown_writer RTU-3'])
  })

  it('inside the session of the control centre is noticed by the answer that it never asked for', () => {
    const { alarms } = duel('MODBUS_CMD_INJECT', { rogue_source: false })
    expect(detectors(alarms)).toContain('unordered_command')
    expect(detectors(alarms)).not.toContain('second_master')
  })

  it('is refused at an address that does not exist, and nothing moves', () => {
    const refused = duel('MODBUS_CMD_INJECT', { address: 200 })
    expect(exchange(refused).map(({ pdu }) => pdu)).toEqual([
      { kind: 'write_single_coil', address: 200, value: false },
      { kind: 'exception', functionCode: 5, exceptionCode: 2 },
    ])
    expect(refused.attacked.world.plant).toEqual(refused.twin.world.plant)
    expect(refused.attacked.incidents.some(({ impact }) => impact !== undefined)).toBe(false)
  })

  it.each([
    ['write_single_register', 1_010, 1.01],
    ['write_multiple_registers', 990, 0.99],
  ])('moves the voltage of the machine by %s of %i', (way, value, volts) => {
    const moved = duel('MODBUS_CMD_INJECT', { function: way, address: 0, value })
    expect(moved.attacked.world.plant.solution.vmPu[2]).toBeCloseTo(volts, 6)
    expect(moved.attacked.incidents.find(({ impact }) => impact !== undefined)).toMatchObject({
      impact: { effects: [{ machine: 'bus 3', 'voltage set point': String(value) }] },
    })
  })

  it('is refused for an absurd value or a unit without a machine', () => {
    const absurd = exchange(duel('MODBUS_CMD_INJECT', { function: 'write_single_register', value: 9_000 }))
    expect(absurd[1]?.pdu).toEqual({ kind: 'exception', functionCode: 6, exceptionCode: 3 })
    const nobody = exchange(duel('MODBUS_CMD_INJECT', { function: 'write_multiple_registers', unit_id: 3 }))
    expect(nobody[1]?.pdu).toEqual({ kind: 'exception', functionCode: 16, exceptionCode: 2 })
  })

  it('inside the real session sends as the control centre, which continues undisturbed', () => {
    const inside = duel('MODBUS_CMD_INJECT', { rogue_source: false })
    const forged = inside.attacked.frames.filter(({ label }) => label !== null)
    expect(forged.map(({ src, dst }) => [src.split(':')[0], dst])).toEqual([['10.20.0.10', '10.20.1.3:502']])
    const [frame] = forged
    expect(frame === undefined ? undefined : incidentOf(inside.attacked, frame)).toMatchObject({ src_node: 'CC' })
    expect(inside.attacked.world.plant.open).toEqual([6])
    const heard = (own: Duel['twin']) => Math.round((own.world.view.heardUs['RTU-3'] ?? 0) / 1e5)
    expect(heard(inside.attacked)).toBe(heard(inside.twin))
  })

  it('waits for a session to write inside when there is none yet', () => {
    const world = startWorld()
    enable(world, 'MODBUS_CMD_INJECT', { rogue_source: false })
    runSteps(world, 20)
    expect(world.plant.open).toEqual([6])
  })
})
