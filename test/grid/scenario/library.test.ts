/** The library: each scenario runs from start to end with green checks, and again with the same octets. */

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it, test } from 'vitest'
import { projectRoot } from '#bin/project.ts'
import { readScenario } from '#grid/scenario/document.ts'
import { findScenario, scenarioNames, scenarioValue } from '#grid/scenario/library.ts'
import { playScenario, type ScenarioResult } from '#grid/scenario/play.ts'
import type { CheckedScenario } from '#grid/scenario/session.ts'
import { sweep } from '../../support/sweep.ts'

/** Scenarios that are played twice: a short one in the gate, all of them in the soak. */
const replayed = sweep(scenarioNames.length, 1) === 1 ? ['stealthy-injection'] : scenarioNames

function playAll(checked: CheckedScenario): { readonly result: ScenarioResult; readonly digest: string } {
  const hash = createHash('sha256')
  const run = playScenario(checked, { octets: 64_000_000 })
  for (;;) {
    const next = run.next()
    if (next.done === true) return { result: next.value, digest: hash.digest('hex') }
    hash.update(next.value.path).update(next.value.bytes)
  }
}

describe('playScenario()', () => {
  it.each(scenarioNames)('finds every check and answer of %s right', (name) => {
    const played = playAll(findScenario(name))
    const { result } = played
    expect([...result.checks, ...result.questions].filter(({ passed }) => !passed)).toEqual([])
    expect([result.passed, result.checks.length >= 3, result.questions.length >= 2]).toEqual([true, true, true])
    if (replayed.includes(name)) expect(playAll(findScenario(name)), 'the same octets again').toEqual(played)
  })
})

test('the library has eight scenarios at least, each under the name of its file and of a section', () => {
  expect(scenarioNames.length).toBeGreaterThanOrEqual(8)
  const page = readFileSync(join(projectRoot, 'docs/scenarios.md'), 'utf8')
  for (const name of scenarioNames) {
    const { scenario } = findScenario(name)
    expect(scenario.name).toBe(name)
    expect(page).toContain(`## ${scenario.title}\n`)
  }
})

test('the scenario of the page is read, and green', () => {
  const page = readFileSync(join(projectRoot, 'docs/scenarios.md'), 'utf8')
  const [, text = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? []
  const read = readScenario(text)
  expect(read.ok || read.mistakes).toBe(true)
  if (read.ok) expect(playAll(read.checked).result).toMatchObject({ passed: true })
})

test('the JSON Schema for editors takes each scenario, and refuses a wrong name', () => {
  const schema = JSON.parse(readFileSync(join(projectRoot, 'examples/grid/scenario.schema.json'), 'utf8'))
  const validate = new Ajv2020({ strict: false, formats: { 'date-time': true } }).compile(schema)
  for (const name of scenarioNames)
    expect([name, validate(scenarioValue(name)), validate.errors]).toEqual([name, true, null])
  expect(validate({ ...Object(scenarioValue('forged-command')), titel: 'x' })).toBe(false)
})

test('findScenario() names the nearest scenario', () => {
  expect(() => findScenario('forged-comand')).toThrow('did you mean "forged-command"?')
})
