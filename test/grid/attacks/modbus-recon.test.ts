/** MODBUS_RECON: the sweep request by request, who answers, and what it leaves as it was. */

import { describe, expect, it } from 'vitest'
import { decodeModbusRequest, decodeModbusResponse } from '#grid/protocols/modbus.ts'
import { alarmNames, duel, payloadOf } from '../../support/attack-session.ts'
import { orderOf, startWorld } from '../../support/grid-session.ts'

describe('MODBUS_RECON', () => {
  const { attacked, twin, alarms } = duel('MODBUS_RECON', { unit_to: 6 })
  const frames = attacked.frames.filter(({ label, protocol }) => label !== null && protocol === 'Modbus')
  const requests = frames.filter(({ dst }) => dst.endsWith(':502'))
  const read = requests.map((frame) => {
    const decoded = decodeModbusRequest(payloadOf(frame))
    if (!decoded.ok) throw new Error(decoded.fault.message)
    return { host: frame.dst, unit: decoded.value.unitId, kind: decoded.value.pdu.kind }
  })

  it('asks six questions of each unit in turn, twenty a second', () => {
    expect(read.map(({ unit }) => unit)).toEqual(
      [1, 2, 3, 4, 5, 6].flatMap((unit) => [1, 1, 1, 1, 1, 1].map(() => unit)),
    )
    expect(read.slice(0, 6).map(({ kind }) => kind)).toEqual([
      ...['read_device_identification', 'report_server_id', 'read_coils', 'read_discrete_inputs'],
      ...['read_holding_registers', 'read_input_registers'],
    ])
    const seconds = ((requests.at(-1)?.timeUs ?? 0) - (requests[0]?.timeUs ?? 0)) / 1e6
    expect(seconds).toBeGreaterThan(1.5)
    expect(seconds).toBeLessThan(2)
  })

  it('asks each unit at its outstation, and those that are not there at the first one, which does not answer', () => {
    expect(new Set(read.map(({ host, unit }) => `${unit} ${host}`))).toEqual(
      new Set([1, 2, 3, 4, 5, 6].map((unit) => `${unit} 10.20.1.${[3, 6, 9, 12][unit - 1] ?? 3}:502`)),
    )
    const answers = frames
      .filter(({ src }) => src.endsWith(':502'))
      .map((frame) => decodeModbusResponse(payloadOf(frame)))
      .flatMap((one) => (one.ok ? [one.value] : []))
    expect(answers.map(({ unitId }) => unitId)).toEqual(
      [1, 2, 3, 4].flatMap((unit) => [1, 1, 1, 1, 1, 1].map(() => unit)),
    )
    expect(answers.filter(({ pdu }) => pdu.kind === 'exception').length).toBe(16)
  })

  it('opens one connection to each host and ends each', () => {
    const own = attacked.frames.filter(
      ({ src, dst, protocol }) => protocol === 'TCP' && `${src} ${dst}`.includes('10.20.0.66'),
    )
    expect(new Set(own.map(({ flow }) => flow)).size).toBe(4)
    expect(Object.values(attacked.world.connections).filter(({ label }) => label !== null)).toEqual([])
  })

  it('is seen by the monitors, and leaves the grid and the control centre as they are', () => {
    expect(alarmNames(alarms)).toEqual([
      'second_master RTU-12',
      'second_master RTU-3',
      'second_master RTU-6',
      'second_master RTU-9',
    ])
    expect(attacked.world.plant).toEqual(twin.world.plant)
    expect(attacked.world.view.values).toEqual(twin.world.view.values)
  })

  it('asks every unit at the link that its order names', () => {
    const one = duel('MODBUS_RECON', { unit_to: 2, target_link: 'CC--RTU-6' }, { steps: 10 })
    const hosts = one.attacked.frames
      .filter(({ label, dst }) => label !== null && dst.endsWith(':502'))
      .map(({ dst }) => dst)
    expect(new Set(hosts)).toEqual(new Set(['10.20.1.6:502']))
  })

  it('refuses a range that ends before it begins', () => {
    expect(() => orderOf(startWorld(), 'MODBUS_RECON', { unit_from: 9, unit_to: 8 })).toThrow(
      'Parameter "unit_to" is 8, expected 9 to 247',
    )
  })
})
