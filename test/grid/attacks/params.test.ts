/** Reading parameters against their tables. */

import { describe, expect, it } from 'vitest'
import { attacks } from '../../../src/grid/attacks/catalogue.ts'
import { toParams } from '../../../src/grid/attacks/definition.ts'
import { readOrder } from '../../../src/grid/attacks/order.ts'
import { type ParamTable, readParams } from '../../../src/grid/attacks/params.ts'
import { telecontrolOf } from '../../../src/grid/engine.ts'
import { enable, runSteps, startWorld } from '../../support/grid-session.ts'

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
    ['COORDINATED_OUTAGE', { branches: ['2-3', '2-3'] }],
    ['MAGNITUDE_OVERRIDE', { phasor_idx: 5 }],
    ['PULSE', { phasor_idx: 5 }],
  ])('refuses %s with %j', (type, params) => {
    expect(readOrder({ type, params }, plan, 0)).toMatchObject({ ok: false, errors: [expect.any(String)] })
  })

  it.each([
    ['NOISE', 'CC--RTU-1', {}, 'PMU-1--PDC'],
    ['REPLAY', 'IED-1--BAY-1', {}, 'PMU-4--PDC'],
    ['DROP', 'CC--RTU-2', {}, 'PMU-1--PDC'],
    ['DELAY', 'CC--RTU-3', {}, 'PMU-1--PDC'],
    ['RAMP', 'PMU-3--PDC', { phasor_idx: 4 }, 'PMU-2--PDC'],
    ['FDI_STEALTH', 'CC--RTU-1', { bus: 14 }, 'CC--RTU-14'],
    ['FDI_STEALTH', 'PMU-1--PDC', { bus: 14 }, 'CC--RTU-9'],
    ['GOOSE_TRIP_SPOOF', 'IED-2--BAY-2', { breaker: 'CB-1-2' }, 'IED-1--BAY-1'],
    ['MODBUS_CMD_INJECT', 'CC--RTU-6', { unit_id: 1 }, 'CC--RTU-3'],
    ['DNP3_CONTROL', 'CC--RTU-1', {}, 'CC--RTU-2'],
    ['IEC104_BREAKER_CMD', 'CC--RTU-4', { common_address: 1 }, 'CC--RTU-1'],
    ['MALFORMED', 'CC--RTU-1', { protocol: 'DNP3' }, 'CC--RTU-2'],
    ['COORDINATED_OUTAGE', 'PMU-1--PDC', { branches: ['2-3'] }, 'CC--RTU-2'],
    ['COORDINATED_OUTAGE', 'CC--RTU-2', { branches: ['2-3', '1-5'] }, 'CC--RTU-1'],
  ])('refuses %s on %s, where it would do nothing, and names a right link', (type, link, params, right) => {
    const read = readOrder({ type, params, target_link: link }, plan, 0)
    expect(read).toMatchObject({ ok: false, errors: [expect.stringContaining(`"${link}"`)] })
    expect(read).toMatchObject({ errors: [expect.stringContaining(`"${right}"`)] })
  })

  it.each([
    ['RAMP', 'PMU-3--PDC', { phasor_idx: 4, target: 'frequency' }],
    ['FDI_STEALTH', 'PMU-4--PDC', { bus: 9 }],
    ['COORDINATED_OUTAGE', 'CC--RTU-2', { branches: ['2-3', '2-4'] }],
    ['MALFORMED', 'IED-1--BAY-1', { protocol: 'GOOSE', kind: 'truncated' }],
  ])('takes %s on %s with %j', (type, link, params) => {
    expect(readOrder({ type, params, target_link: link }, plan, 0)).toMatchObject({
      ok: true,
      order: { target_link: link },
    })
  })

  it.each(attacks)(
    'takes $type on each link of its own that it can be limited to, and it acts there',
    (attack) => {
      const { type, links } = attack
      // Every frame, where the default is a share of them that a few seconds may not hold.
      const params = type === 'MALFORMED' ? { rate_percent: 100 } : {}
      const order = readOrder({ type, params }, plan, 0)
      if (!order.ok) throw new Error(`${type} refuses its defaults`)
      const named = links(toParams(order.order.params), plan).filter(
        (target_link) => readOrder({ type, params, target_link }, plan, 0).ok,
      )
      expect(named.length).toBeGreaterThan(0)
      for (const target_link of named) {
        const world = startWorld()
        runSteps(world, 20)
        enable(world, type, { ...params, target_link })
        const { frames } = runSteps(world, 75)
        expect([target_link, frames.some(({ label }) => label !== null)]).toEqual([target_link, true])
      }
    },
  )
})
