/** `sluice grid scenario`: its orders, the files of a run, and the message of each mistake. */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { useScenarios } from '#bin/grid/scenario.ts'
import { projectRoot } from '#bin/project.ts'
import { readSource } from '#grid/dataset/source.ts'
import { makeFolder } from '../support/folder.ts'

const folder = makeFolder()
afterEach(() => vi.restoreAllMocks())

const text = `name: quick
title: Quick
summary: S
briefing: B
network: case9
seed: 1
start: 2026-03-02T08:00:00Z
duration: 3
timeline:
  - { at: 1, text: T, fault: { line: 4-5 } }
  - { at: 3, text: It is open., check: { breaker: CB-4-5, is: IS } }
`

function file(name: string, content: string): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

/** Runs a command and gives its exit code with the text that it printed. */
function use(...args: readonly string[]) {
  const out = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  const wrong = vi.spyOn(console, 'error').mockReturnValue()
  const code = useScenarios(args)
  const printed = out.mock.calls.map(([one]) => String(one)).join('')
  const errors = wrong.mock.calls.map(([one]) => String(one)).join('\n')
  for (const spy of [out, wrong]) spy.mockRestore()
  return { code, printed, errors }
}

const quick = file('quick.yaml', text.replace('IS', 'open'))

test('a scenario on an imported network finds its case file beside it, and names one that is not there', () => {
  file('mv.json', readFileSync(join(projectRoot, 'test/vectors/networks/cigre_mv.json'), 'utf8'))
  const onImported = text
    .replace('network: case9', 'network: mv')
    .replace('fault: { line: 4-5 }', 'operator: { load: 0.9 }')
    .replace('{ breaker: CB-4-5, is: IS }', '{ grid: open_breakers, max: 0 }')
  expect(use('run', file('imported.yaml', onImported)).printed).toContain('All checks are green')
  expect(use('check', file('lost.yaml', onImported.replace('network: mv', 'network: cse9')))).toMatchObject({
    code: 2,
    errors: expect.stringMatching(
      /lost.yaml:5: network is "cse9", which is neither built in nor imported, did you mean/,
    ),
  })
})

test('a scenario has IEC 61850 stations by a setting, and attacks on them', () => {
  const onStations = text
    .replace('network: case9', 'network: case14\nsettings: { iec61850: 2 }')
    .replace('fault: { line: 4-5 }', 'attack: SV_INJECT, link: MU-4--IED-4')
  const { printed } = use('run', file('stations.yaml', onStations.replace('IS', 'open')))
  expect(printed).toMatch(/attack SV_INJECT-1 .* at MU-4\n/)
  expect(printed).toContain('All checks are green')
})

test('list prints each scenario of the library, show one as YAML that check takes', () => {
  expect(use('list').printed).toMatch(/^forged-command +case14 +240 s {2}Two lines open/m)
  const { printed } = use('show', 'forged-command')
  const { code, printed: checked } = use('check', file('shown.yaml', printed))
  expect([code, checked]).toEqual([0, expect.stringContaining('Two lines open, and one of them by a forged command (')])
})

test('run writes captures, labels, the session and the result, and ends with 1 where a check is red', () => {
  const out = join(folder, 'out')
  const { code, printed } = use('run', quick, '--out', out)
  expect([code, printed]).toEqual([
    0,
    expect.stringContaining('green 3.0 s: It is open. (CB-4-5 is open, expected open)'),
  ])
  expect(readdirSync(out).sort()).toEqual(['data', 'result.json', 'session.json', 'truth'])
  expect(readdirSync(join(out, 'data/quick')).sort()).toEqual(['capture-001.pcapng', 'flows.csv', 'measurements.csv'])
  const session = JSON.parse(readFileSync(join(out, 'session.json'), 'utf8'))
  expect(readSource('quick', session)).toMatchObject({ steps: 30, commands: [{ kind: 'trip', step: 10 }] })
  // The document of the session plays back to the same octets.
  const back = join(folder, 'back')
  expect(use('run', join(out, 'session.json'), '--out', back).code).toBe(0)
  const capture = 'capture-001.pcapng'
  expect(readFileSync(join(back, 'data/session', capture))).toEqual(readFileSync(join(out, 'data/quick', capture)))
  const red = use('run', file('red.yaml', text.replace('IS', 'closed')))
  expect([red.code, red.printed]).toEqual([1, expect.stringContaining('RED   3.0 s')])
})

test.each([
  [[], 'Cannot use scenarios: "" is not a command, expected one of list, show, check, run, schema'],
  [['lst'], '"lst" is not a command, perhaps list'],
  [['show', 'forged'], 'Cannot find the scenario "forged": it is not in the library'],
  [['check'], 'no file is named'],
  [['run', quick, quick], 'run takes one scenario'],
  [['run', quick, '--out', folder], 'is not empty, expected a new folder'],
  [
    ['run', file('wrong.yaml', text.replace('IS', 'open').replace('4-5', '4-55'))],
    'wrong.yaml:10: timeline[0].fault.line: there is no breaker "CB-4-55"',
  ],
  [['check', file('cut.yaml', 'a: [1')], 'cut.yaml:1: '],
])('useScenarios(%j) ends with 2 and says why', (args, message) => {
  const { code, errors } = use(...args)
  expect([code, errors]).toEqual([2, expect.stringContaining(message)])
})
