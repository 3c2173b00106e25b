/** `sluice grid convert`: a file in another form, warnings beside it, and the message of each mistake. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test, vi } from 'vitest'
import { convertCase } from '#bin/grid/convert.ts'
import { makeFolder } from '../support/folder.ts'

const folder = makeFolder()
afterEach(() => vi.restoreAllMocks())

const vector = (name: string) => fileURLToPath(new URL(`../vectors/networks/${name}`, import.meta.url))

function run(...args: readonly string[]) {
  const wrong = vi.spyOn(console, 'error').mockImplementation(() => {})
  const code = convertCase(args)
  return { code, err: wrong.mock.calls.map(([line]) => String(line)) }
}

test('convertCase() writes a network of pandapower as a case file under another name', () => {
  const output = join(folder, 'medium.m')
  const { code, err } = run(
    '--file',
    vector('cigre_mv.json'),
    '--to',
    'matpower',
    '--name',
    'medium',
    '--output',
    output,
  )
  expect([code, err[0]]).toEqual([
    0,
    'warning: line 12: open at one end, taken as the admittance that its other end sees',
  ])
  expect(readFileSync(output, 'utf8')).toMatch(/^function mpc = medium\n[\s\S]*mpc\.bus = \[\n {2}1 3 /)
})

test('convertCase() gives a case file the frequency that is asked for', () => {
  const output = join(folder, 'tables.json')
  expect(run('--file', vector('case_ieee30.m'), '--frequency', '50', '--output', output).code).toBe(0)
  expect(JSON.parse(readFileSync(output, 'utf8'))).toMatchObject({ name: 'case_ieee30', f0Hz: 50, slackBus: 1 })
})

test.each([
  [[], 'Cannot convert: there is no --file'],
  [['--file', join(folder, 'none')], 'ENOENT'],
  [
    ['--file', vector('case57.m'), '--to', 'psse'],
    'Cannot write case: "psse" is not a form, expected tables, matpower, pandapower',
  ],
  [['--file', vector('case57.m'), '--frequency', 'fast'], 'Cannot import case: frequency is "fast", expected hertz'],
  [['--file', vector('README.md')], 'Cannot read case: line 1'],
  [['--fil', 'x'], 'Cannot convert'],
])('convertCase() refuses %j', (args, message) => {
  const { code, err } = run(...args)
  expect([code, err[0]]).toEqual([2, expect.stringContaining(message)])
})
