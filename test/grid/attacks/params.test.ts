/** Reading parameters against their tables. */

import { describe, expect, it } from 'vitest'
import { attacks } from '../../../src/grid/attacks/catalogue.ts'
import { readOrder } from '../../../src/grid/attacks/order.ts'
import { type ParamTable, readParams } from '../../../src/grid/attacks/params.ts'
import { telecontrolOf } from '../../../src/grid/engine.ts'
import { startWorld } from '../../support/grid-session.ts'

const table: ParamTable = {
  size: { type: 'number', default: 1, min: 0, max: 10 },
  times: { type: 'integer', default: 2, min: 1, max: 3 },
  on: { type: 'boolean', default: false },
  way: { type: 'string', default: 'up', enum: ['up', 'down'] },
  name: { type: 'string', default: 'x', maxLength: 3 },
  lines: { type: 'strings', default: ['a'], maxItems: 2 },
}

describe('readParams()', () => {
  it('fills in every default', () => {
    const params = { size: 1, times: 2, on: false, way: 'up', name: 'x', lines: ['a'] }
    expect(readParams(table, {})).toEqual({ ok: true, params })
  })

  it.each([
    [{ size: Number.NaN }, 'size'],
    [{ size: Number.POSITIVE_INFINITY }, 'size'],
    [{ size: 11 }, 'size'],
    [{ size: '1' }, 'size'],
    [{ times: 1.5 }, 'times'],
    [{ on: 1 }, 'on'],
    [{ way: 'left' }, 'way'],
    [{ name: '' }, 'name'],
    [{ name: 'xxxx' }, 'name'],
    [{ lines: [] }, 'lines'],
    [{ lines: ['a', 'b', 'c'] }, 'lines'],
    [{ lines: [1] }, 'lines'],
    [{ other: 1 }, 'other'],
    [{ size: null }, 'size'],
  ])('refuses %j and names %s', (given, name) => {
    const read = readParams(table, given)
    expect(read.ok || read.errors).toEqual([expect.stringContaining(`"${name}"`)])
  })

  it('lists all mistakes at once', () => {
    const read = readParams(table, { size: 11, times: 9, other: 1, on: 'no' })
    expect(read.ok || read.errors).toHaveLength(4)
  })

  it('does not take inherited names for parameters', () => {
    expect(readParams(table, JSON.parse('{"__proto__": 1, "toString": 2}')).ok).toBe(false)
  })
})

describe('readOrder()', () => {
  const plan = telecontrolOf(startWorld())

  it.each(attacks.map(({ type }) => type))('takes %s with nothing but its type, in any case', (type) => {
    expect(readOrder({ type: type.toLowerCase(), params: {} }, plan, 5)).toMatchObject({
      ok: true,
      order: { type, schedule: { start_frame: 0, duration_frames: 0 }, target_link: null, seed: 5 },
    })
  })

  it('takes schedule, link and seed beside params or inside', () => {
    const extras = { schedule: { start_frame: 3 }, target_link: 'PMU-1--PDC', seed: 9 }
    const expected = { schedule: { start_frame: 3, duration_frames: 0 }, target_link: 'PMU-1--PDC', seed: 9 }
    expect(readOrder({ type: 'NOISE', params: {}, ...extras }, plan, 0)).toMatchObject({ order: expected })
    expect(readOrder({ type: 'NOISE', params: extras }, plan, 0)).toMatchObject({ order: expected })
  })

  it('understands the name of a parameter in older help', () => {
    expect(readOrder({ type: 'NOISE', params: { std_dev: 4 } }, plan, 0)).toMatchObject({
      order: { params: { noise_std: 4 } },
    })
  })

  it.each([
    ['NOISE', { target_link: 'nowhere' }],
    ['NOISE', { seed: -1 }],
    ['NOISE', { schedule: [] }],
    ['NOISE', { schedule: { start_frame: 1.5 } }],
    ['GOOSE_TRIP_SPOOF', { breaker: 'CB-9-99' }],
    ['MODBUS_CMD_INJECT', { unit_id: 200 }],
    ['IEC104_BREAKER_CMD', { common_address: 99 }],
    ['IEC104_BREAKER_CMD', { ioa_from: 5, ioa_to: 4 }],
    ['COORDINATED_OUTAGE', { branches: ['1-14'] }],
    ['FDI_STEALTH', { bus: 99 }],
    ['MALFORMED', { protocol: 'Modbus', kind: 'bad_crc' }],
  ])('refuses %s with %j', (type, params) => {
    expect(readOrder({ type, params }, plan, 0)).toMatchObject({ ok: false, errors: [expect.any(String)] })
  })
})
