import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { doAtOnce } from '#base/slices.ts'
import { buildTables } from '#grid/import/complete-case.ts'
import { type ImportOptions, importCase } from '#grid/import/import-case.ts'
import { readMatpower } from '#grid/import/matpower.ts'
import { writeMatpower } from '#grid/import/write-matpower.ts'
import { writePandapower } from '#grid/import/write-pandapower.ts'
import { type CaseTables, toNetwork } from '#grid/network/case-tables.ts'
import { findCase } from '#grid/network/cases/catalogue.ts'
import { solvePowerFlow } from '#grid/power-flow/power-flow.ts'
import case118 from '../../../src/grid/network/cases/case118.json' with { type: 'json' }
import voltages from '../../vectors/networks/voltages.json' with { type: 'json' }

type Voltages = Readonly<Record<string, readonly number[]>>

const files = new Map<string, string>([
  ...['case24_ieee_rts', 'case_ieee30', 'case57', 'case300'].map((name) => [name, `${name}.m`] as const),
  ...['case9', 'cigre_hv', 'cigre_mv', 'multivoltage'].map((name) => [name, `${name}.json`] as const),
])

function readVector(name: string): string {
  return readFileSync(new URL(`../../vectors/networks/${files.get(name)}`, import.meta.url), 'utf8')
}

const read = (text: string, options?: ImportOptions) => doAtOnce(importCase(text, options))

/** The largest differences between the voltages of a case and those of the other program, in per unit and degrees. */
function compare(tables: CaseTables, expected: Voltages) {
  const network = toNetwork(tables)
  const { vmPu, vaRad, converged } = solvePowerFlow(network)
  expect(converged).toBe(true)
  const pairs = network.buses.flatMap(({ id }, at) => {
    const [magnitude, angle] = expected[id] ?? []
    if (magnitude === undefined || angle === undefined) return []
    const turned = ((vaRad[at] ?? 0) * 180) / Math.PI - angle
    return [[(vmPu[at] ?? 0) - magnitude, turned - 360 * Math.round(turned / 360)] as const]
  })
  return {
    compared: pairs.length,
    pu: Math.max(...pairs.map(([pu]) => Math.abs(pu))),
    deg: Math.max(...pairs.map(([, deg]) => Math.abs(deg))),
  }
}

type Frames = Record<string, { _object: string }>

const toText = (network: Frames) => JSON.stringify({ _class: 'pandapowerNet', _object: network })

/** Appends a copy of the first row of a frame with other values in some columns. */
function appendRow(frame: { _object: string } | undefined, values: Readonly<Record<string, unknown>>) {
  if (frame === undefined) throw new Error('no such frame')
  const { columns, index, data } = JSON.parse(frame._object)
  const row = columns.map((name: string, at: number) => values[name] ?? data[0][at])
  frame._object = JSON.stringify({ columns, index: [...index, index.length], data: [...data, row] })
}

/** The nine buses of pandapower, and one more behind a closed switch. */
function withTenthBus(in_service: boolean): Frames {
  const network: Frames = JSON.parse(readVector('case9'))._object
  appendRow(network.bus, { in_service })
  const closed = { columns: ['bus', 'element', 'et', 'closed'], index: [0], data: [[4, 9, 'b', true]] }
  return { ...network, switch: Object.assign({ _class: 'DataFrame' }, { _object: JSON.stringify(closed) }) }
}

describe('importCase', () => {
  it.each([...files.keys()])('solves %s to the voltages of the other program', (name) => {
    // Ratings take a power flow for each of 411 branches, which say nothing about these voltages.
    const isLarge = name === 'case300'
    const tables = isLarge ? buildTables(readMatpower(readVector(name), 60), name) : read(readVector(name)).tables
    const { compared, pu, deg } = compare(tables, (voltages as Readonly<Record<string, Voltages>>)[name] ?? {})
    expect(compared).toBeGreaterThanOrEqual(name === 'multivoltage' ? 27 : tables.buses.length)
    expect(pu).toBeLessThan(1e-8)
    expect(deg).toBeLessThan(1e-6)
  })

  it('names every element that is not as in the file', () => {
    expect(read(readVector('multivoltage')).warnings).toEqual([
      'xward 0: its inner source is a condenser at the new bus 58',
      'xward 1: its inner source is a condenser at the new bus 59',
      'line 10: open at one end, taken as the admittance that its other end sees',
      'trafo3w 0: three transformers with a star at the new bus 60',
      '2 branches without a rating have suggested ones',
    ])
    expect(read(readVector('case24_ieee_rts')).warnings).toContain('6 machines at bus 15 are taken as one')
  })

  it('gives each branch a rating and pick-ups, each bus a place, and sees every bus with phasor units', () => {
    const { buses, branches, pmuBuses } = toNetwork(read(readVector('case57')).tables)
    const seen = new Set(pmuBuses.flatMap((bus) => [bus, ...neighbours(branches, bus)]))
    expect(seen.size).toBe(buses.length)
    expect(new Set(buses.map(({ x, y }) => `${x} ${y}`)).size).toBe(buses.length)
    expect(buses.every(({ x, y }) => x >= 0 && x <= 1000 && y >= 0 && y <= 1000)).toBe(true)
    expect(branches.every(({ rateMva, securePickupMva }) => rateMva >= 5 && securePickupMva >= 1.25 * rateMva)).toBe(
      true,
    )
  })

  it('leaves out what is at a bus of pandapower that is out of service, though a closed switch leads to it', () => {
    const network = withTenthBus(false)
    appendRow(network.load, { bus: 9, p_mw: 50 })
    expect(read(toText(network)).tables.buses).toEqual(read(readVector('case9')).tables.buses)
  })

  it('names a line whose ends a closed switch makes one bus', () => {
    const network = withTenthBus(true)
    appendRow(network.line, { from_bus: 4, to_bus: 9 })
    expect(read(toText(network)).warnings).toContain('line 9: both ends are at one bus, left out')
  })

  const matpower = readVector('case_ieee30')
  const pandapower = readVector('case9')
  const wrong: readonly (readonly [string, string, string])[] = [
    ['neither format', 'hello', 'Cannot read case: line 1: "hello" is a statement of a script'],
    [
      'a script',
      `${matpower}\nmpc.branch(:, 3) = mpc.branch(:, 3) / 10;`,
      `line ${matpower.split('\n').length + 1}: "mpc.branch(:, 3) = mpc.branch(:, 3) / 10;" is a statement of a script`,
    ],
    ['version 1', matpower.replace("'2'", "'1'"), "mpc.version is '1', expected '2'"],
    [
      'an open bracket',
      "mpc.version = '2';\nmpc.bus = [\n1 3",
      'line 2: the bracket that is opened here is not closed',
    ],
    [
      'a matrix that a script changes where it ends',
      matpower.replace('];', '] * 2;'),
      '"] * 2;" is a statement of a script',
    ],
    ['a word', matpower.replace('21.7', 'many'), '"many" is not a number, expected one such as 0.05 or Inf'],
    [
      'too few columns',
      "mpc.version = '2';\nmpc.bus = [\n1 3 0\n];",
      'line 3: mpc.bus has 3 columns here, expected at least 13',
    ],
    ['no machines', matpower.replace('mpc.gen =', 'mpc.gems ='), 'there is no mpc.gen'],
    ['no reference', matpower.replace('\t1\t3\t', '\t1\t2\t'), 'no bus is of type 3, expected one reference bus'],
    [
      'two references',
      matpower.replace('\t2\t2\t', '\t2\t3\t'),
      'buses 1, 2 are of type 3, expected one reference bus',
    ],
    [
      'a machine at a bus that does not exist',
      matpower.replace('mpc.gen = [', `mpc.gen = [\n99 10 0 10 -10 1 100 1 20 0${' 0'.repeat(11)};`),
      'a machine is at bus 99, which does not exist',
    ],
    [
      'a bus without a whole number',
      matpower.replace(/^\t30\t1\t/m, '\t30.5\t1\t'),
      'a bus has the number 30.5, expected whole numbers above 0',
    ],
    ['no impedance', matpower.replace('0.0192\t0.0575', '0\t0'), 'has no impedance, expected r or x other than 0'],
    ['islands', matpower.replace(/^\t(?:9\t11|12\t13)\t.*$/gm, ''), 'buses are not connected to the other'],
    [
      'a load that cannot be served',
      matpower.replace('\t94.2\t', '\t9420\t'),
      'Cannot import case: its power flow has no solution',
    ],
    [
      'a limit that is not finite',
      matpower.replace('\t1.06\t0.94;', '\tInf\t0.94;'),
      'row 1 of its buses has a number that is not finite',
    ],
    [
      'a frequency of no grid',
      pandapower.replace('"f_hz": 60', '"f_hz": 0'),
      'its frequency is 0 Hz, expected 16 to 70',
    ],
    ['broken JSON', pandapower.slice(0, -5), 'the text is not JSON, expected what pandapower.to_json writes'],
    ['other JSON', '{"_class": "DataFrame"}', '_class is not pandapowerNet'],
    [
      'no external grid',
      pandapower.replace('"ext_grid"', '"other"'),
      'no external grid or slack machine is in service',
    ],
    [
      'a bus that does not exist',
      pandapower.replace('[null, 4, 90.0', '[null, 44, 90.0').replace('[null,4,90.0', '[null,44,90.0'),
      'load 0 is at a bus that does not exist',
    ],
  ]
  it.each(wrong)('refuses %s with the place and what would be right', (_, text, message) => {
    expect(() => read(text)).toThrow(
      expect.objectContaining({ code: 'invalid_case', message: expect.stringContaining(message) }),
    )
  })

  it('refuses a network of pandapower with more buses than its bounds, joined or not, and at once', () => {
    const frame = (columns: readonly string[], data: readonly (readonly unknown[])[]) => {
      return { _class: 'DataFrame', _object: JSON.stringify({ columns, index: data.map((_, at) => at), data }) }
    }
    const network = {
      bus: frame(['vn_kv'], new Array(150_000).fill([1])),
      switch: frame(
        ['bus', 'element', 'et'],
        Array.from({ length: 20_000 }, (_, at) => [at + 1, at, 'b']),
      ),
      ext_grid: frame(['bus', 'vm_pu'], [[0, 1]]),
      xward: frame('bus ps_mw qs_mvar pz_mw qz_mvar r_ohm x_ohm vm_pu'.split(' '), [[0, 1, 1, 1, 1, 1, 1, 1]]),
    }
    expect(() => read(toText(network))).toThrow('it has 130001 buses, expected 2 to 300')
  })

  it('refuses more buses and characters than its bounds', () => {
    const rows = Array.from({ length: 10_000 }, (_, at) => `${at + 1} ${at === 0 ? 3 : 1} 0 0 0 0 1 1 0 1 1 1.1 0.9;`)
    const text = `mpc.version = '2';\nmpc.bus = [\n${rows.join('\n')}\n];\nmpc.gen = [\n];\nmpc.branch = [\n];\n`
    expect(() => read(text)).toThrow('it has 10000 buses, expected 2 to 300')
    const branches = Array.from({ length: 14 }, (_, at) => `1 ${at + 2} 0.01 0.1 0 0 0 0 0 0 1 -360 360;`)
    const star = text.replace(/(?<=mpc.bus = \[\n)[^\]]*/, `${rows.slice(0, 15).join('\n')}\n`)
    expect(() => read(star.replace(/(?<=mpc.branch = \[\n)/, `${branches.join('\n')}\n`))).toThrow(
      '14 branches begin at bus 1, expected at most 13',
    )
    expect(() => read(' '.repeat(4_000_001))).toThrow('the text has 4000001 characters, expected at most 4000000')
  })
})

function neighbours(branches: readonly { readonly from: number; readonly to: number }[], bus: number) {
  return branches.flatMap(({ from, to }) => (from === bus ? [to] : to === bus ? [from] : []))
}

describe.each([
  ['writeMatpower', writeMatpower],
  ['writePandapower', writePandapower],
])('%s', (_, write) => {
  it.each(['case57', 'multivoltage'])('writes %s so that it is read again with the same voltages', (name) => {
    const { tables } = read(readVector(name))
    const { pu, deg } = compare(
      read(write(tables), { f0Hz: tables.f0Hz }).tables,
      (voltages as Readonly<Record<string, Voltages>>)[name] ?? {},
    )
    expect(pu).toBeLessThan(1e-8)
    expect(deg).toBeLessThan(1e-6)
  })

  it('writes a title of several lines so that the case is read again', () => {
    const { tables } = read(readVector('case9'))
    expect(read(write({ ...tables, title: 'two\r\nlines' })).tables.branches).toHaveLength(tables.branches.length)
  })

  it('writes a case of the product with its ratings', () => {
    const again = toNetwork(read(write(case118)).tables)
    const network = findCase('case118')
    expect(again.branches).toHaveLength(network.branches.length)
    const byEnds = (branches: typeof network.branches) =>
      branches.map(({ from, to, rateMva }) => `${from}-${to} ${rateMva.toFixed(6)}`).toSorted()
    expect(byEnds(again.branches)).toEqual(byEnds(network.branches))
  })
})
