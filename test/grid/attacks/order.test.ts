/** Reading an order to enable an attack: what it may leave out, every mistake, and links where it would do nothing. */

import { describe, expect, it } from 'vitest'
import { attacks } from '#grid/attacks/catalogue.ts'
import { toParams } from '#grid/attacks/definition.ts'
import { describeUnknownType, readOrder } from '#grid/attacks/order.ts'
import { findTelecontrol } from '#grid/engine.ts'
import { caseNames, findCase } from '#grid/network/cases/catalogue.ts'
import { findNetwork } from '#grid/network/find-network.ts'
import { planTelecontrol } from '#grid/telecontrol/plan-telecontrol.ts'
import { calmStretch, enable, runSteps, startWorld } from '../../support/grid-session.ts'
import { sweep } from '../../support/sweep.ts'

describe('readOrder()', () => {
  const plan = findTelecontrol(startWorld({ iec61850: 2 }))

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

  it('lists the mistakes of every part of a request at once', () => {
    const request = { type: 'NOISE', params: { noise_std: 'much' }, target_link: 'PMU-1--PCD', seed: 1.5 }
    expect(readOrder({ ...request, schedule: { start_frame: -1, from: 2 } }, plan, 0)).toEqual({
      ok: false,
      type: 'NOISE',
      mistakes: [
        { path: 'params.noise_std', message: expect.stringContaining('"noise_std"') },
        { path: 'schedule.from', message: expect.stringContaining('"from"') },
        { path: 'schedule.start_frame', message: expect.stringContaining('"schedule.start_frame"') },
        {
          path: 'target_link',
          message: expect.stringMatching(/"target_link" is "PMU-1--PCD", .*such as "PMU-1--PDC"/),
        },
        { path: 'seed', message: 'Parameter "seed" is 1.5, expected an integer from 0 to 4294967295' },
      ],
      hint: 'GET /api/v1/attacks/catalog lists every parameter with its bounds',
    })
  })

  it('refuses a seed and a protocol of any other shape, and repeats the beginning of it only', () => {
    const odd = { toString: 1, valueOf: 'x'.repeat(100) }
    const seeded = readOrder({ type: 'NOISE', params: {}, seed: odd }, plan, 0)
    const shown = `${JSON.stringify(odd).slice(0, 64)}...`
    expect(seeded).toMatchObject({
      mistakes: [{ path: 'seed', message: `Parameter "seed" is ${shown}, expected an integer from 0 to 4294967295` }],
    })
    const broken = readOrder({ type: 'MALFORMED', params: { protocol: odd } }, plan, 0)
    expect(broken).toMatchObject({ mistakes: [{ path: 'params.protocol' }] })
  })

  it('refuses a type that does not exist, with the nearest and the list of all', () => {
    expect(readOrder({ type: ' noize ', params: {} }, plan, 0)).toEqual({
      ok: false,
      type: 'NOIZE',
      mistakes: [{ path: 'type', message: 'Unknown attack type " noize ", did you mean "NOISE"?' }],
      hint: `Known types: ${attacks.map(({ type }) => type).join(', ')}`,
    })
  })

  it('takes the largest seed and schedule, and nothing beyond', () => {
    const read = (seed: number, frames: number) =>
      readOrder({ type: 'NOISE', params: {}, seed, schedule: { duration_frames: frames } }, plan, 0).ok
    expect(read(0xffff_ffff, 1_000_000_000)).toBe(true)
    expect([read(2 ** 32, 0), read(0, 1_000_000_001)]).toEqual([false, false])
  })

  it('understands the name of a parameter in older help', () => {
    expect(readOrder({ type: 'NOISE', params: { std_dev: 4 } }, plan, 0)).toMatchObject({
      order: { params: { noise_std: 4 } },
    })
  })

  it('refuses an attack on stations that the session does not have, and says by which setting it has them', () => {
    const bare = findTelecontrol(startWorld())
    expect(readOrder({ type: 'MMS_CMD_INJECT', params: {} }, bare, 0)).toEqual({
      ok: false,
      type: 'MMS_CMD_INJECT',
      mistakes: [{ path: 'type', message: 'MMS_CMD_INJECT needs an IEC 61850 station, and the session has none' }],
      hint: 'Set iec61850 of the session',
    })
  })

  it.each(caseNames)('takes every attack with its defaults in %s', (name) => {
    const network = planTelecontrol(findNetwork({ case: name, iec61850: 1 }))
    for (const { type } of attacks) {
      expect(readOrder({ type, params: {} }, network, 0)).toMatchObject({ ok: true, order: { type } })
    }
  })

  it('takes FDI_STEALTH at a bus with a number beyond those of the built-in networks', () => {
    const network = findCase('case9')
    const buses = network.buses.map((bus) => ({ ...bus, id: bus.id + 9_000 }))
    const branches = network.branches.map((one) => ({ ...one, from: one.from + 9_000, to: one.to + 9_000 }))
    const imported = planTelecontrol({ ...network, buses, branches, pmuBuses: [9_001] })
    expect(readOrder({ type: 'FDI_STEALTH', params: {} }, imported, 0)).toMatchObject({
      order: { params: { bus: 9_009 } },
    })
  })

  it.each([
    ['GOOSE_TRIP_SPOOF', 'case9', { breaker: 'CB-1-4' }],
    ['FDI_STEALTH', 'case9', { bus: 9 }],
    ['COORDINATED_OUTAGE', 'case9', { branches: ['8-2', '8-9'] }],
    ['COORDINATED_OUTAGE', 'case30', { branches: ['2-4', '2-5'] }],
    ['COORDINATED_OUTAGE', 'case14', { branches: ['2-3', '2-4'] }],
  ] as const)('gives %s in %s the defaults %j, which this network has', (type, name, params) => {
    const network = planTelecontrol(findCase(name))
    expect(readOrder({ type, params: {} }, network, 0)).toMatchObject({ order: { params } })
  })

  it.each([
    [{ protocol: 'GOOSE' }, { protocol: 'GOOSE', kind: 'bad_length' }],
    [{ protocol: 'C37.118' }, { protocol: 'C37.118', kind: 'bad_crc' }],
    [{ kind: 'wrong_object_count' }, { protocol: 'IEC104', kind: 'wrong_object_count' }],
    [{ kind: 'unknown_function' }, { protocol: 'DNP3', kind: 'unknown_function' }],
  ])('completes MALFORMED with %j by what that can be: %j', (params, expected) => {
    expect(readOrder({ type: 'MALFORMED', params }, plan, 0)).toMatchObject({ order: { params: expected } })
  })

  it.each([
    [{ kind: 'no_such_kind' }, 'Parameter "kind" is "no_such_kind"'],
    [{ protocol: 'OPC' }, 'Parameter "protocol" is "OPC"'],
    [{ kind: null }, 'Parameter "kind" is null'],
  ])('refuses MALFORMED with %j for what was sent', (params, error) => {
    const read = readOrder({ type: 'MALFORMED', params }, plan, 0)
    expect(read).toMatchObject({ ok: false, mistakes: [{ message: expect.stringContaining(error) }] })
  })

  it.each([
    ['NOISE', { target_link: 'nowhere' }, 'target_link'],
    ['NOISE', { seed: -1 }, 'seed'],
    ['NOISE', { schedule: [] }, 'schedule'],
    ['NOISE', { schedule: { start_frame: 1.5 } }, 'schedule.start_frame'],
    ['GOOSE_TRIP_SPOOF', { breaker: 'CB-9-99' }, 'params.breaker'],
    ['MODBUS_CMD_INJECT', { unit_id: 200 }, 'params.unit_id'],
    ['IEC104_BREAKER_CMD', { common_address: 99 }, 'params.common_address'],
    ['IEC104_BREAKER_CMD', { ioa_from: 5, ioa_to: 4 }, 'params.ioa_to'],
    ['COORDINATED_OUTAGE', { branches: ['1-14'] }, 'params.branches'],
    ['FDI_STEALTH', { bus: 99 }, 'params.bus'],
    ['MALFORMED', { protocol: 'Modbus', kind: 'bad_crc' }, 'params.kind'],
    ['COORDINATED_OUTAGE', { branches: ['2-3', '2-3'] }, 'params.branches'],
    ['MAGNITUDE_OVERRIDE', { phasor_idx: 5 }, 'params.phasor_idx'],
    ['PULSE', { phasor_idx: 5 }, 'params.phasor_idx'],
  ])('refuses %s with %j at %s', (type, params, path) => {
    expect(readOrder({ type, params }, plan, 0)).toMatchObject({ ok: false, mistakes: [{ path }] })
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
    expect(read).toMatchObject({ ok: false, mistakes: [{ message: expect.stringContaining(`"${link}"`) }] })
    expect(read).toMatchObject({ mistakes: [{ message: expect.stringContaining(`"${right}"`) }] })
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

  it.each(attacks)('takes $type on each of its links that it can be limited to, and it acts there', (attack) => {
    const { type, links } = attack
    // Every frame, where the default is a share of them that a few seconds may not hold.
    const params = type === 'MALFORMED' ? { rate_percent: 100 } : {}
    const order = readOrder({ type, params }, plan, 0)
    if (!order.ok) throw new Error(`${type} refuses its defaults`)
    const named = links(toParams(order.order.params), plan).filter(
      (target_link) => readOrder({ type, params, target_link }, plan, 0).ok,
    )
    expect(named.length).toBeGreaterThan(0)
    for (const target_link of named.slice(-sweep(named.length, 1))) {
      const { world } = calmStretch(20, { iec61850: 2 })
      enable(world, type, { ...params, target_link })
      const { frames } = runSteps(world, 75)
      expect([target_link, frames.some(({ label }) => label !== null)]).toEqual([target_link, true])
    }
  })
})

describe('describeUnknownType()', () => {
  it('repeats at most 64 characters, and suggests nothing for a name that is not near any', () => {
    expect(describeUnknownType('x'.repeat(500))).toBe(`Unknown attack type "${'x'.repeat(64)}"`)
  })
})
