import { expect, it } from 'vitest'
import { doAtOnce } from '#base/slices.ts'
import { importCase } from '#grid/import/import-case.ts'
import { findFormat } from '#grid/import/write-case.ts'
import case9 from '../../../src/grid/network/cases/case9.json' with { type: 'json' }

it.each(['tables', 'matpower', 'pandapower'])('findFormat() finds %s, which writes every bus', (name) => {
  const text = findFormat(name).write(case9)
  const buses = name === 'tables' ? JSON.parse(text).buses : doAtOnce(importCase(text)).tables.buses
  expect(buses).toHaveLength(9)
})

it('findFormat() refuses a form that there is not, with the nearest one', () => {
  expect(() => findFormat('pandapwer')).toThrow('"pandapwer" is not a form, perhaps pandapower')
  expect(() => findFormat('constructor')).toThrow('expected tables, matpower, pandapower')
})
