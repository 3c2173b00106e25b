/** `sluice grid scenario`: the library, files that are checked, and runs, without a service. */

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { stringify } from 'yaml'
import { messageOf } from '#base/errors.ts'
import { parseJson } from '#base/json.ts'
import { nearest } from '#base/nearest.ts'
import { doAtOnce } from '#base/slices.ts'
import { isSession, stepsPerSecond, toSessionDocument } from '#grid/configuration.ts'
import { readSource } from '#grid/dataset/source.ts'
import { importCase } from '#grid/import/import-case.ts'
import type { CaseTables } from '#grid/network/case-tables.ts'
import { readScenario } from '#grid/scenario/document.ts'
import { findScenario, scenarioNames, scenarioValue } from '#grid/scenario/library.ts'
import { type Playable, playScenario, type ScenarioResult } from '#grid/scenario/play.ts'
import type { CheckedScenario } from '#grid/scenario/session.ts'
import { scenarioSchema } from '#grid/scenario/shape.ts'
import { parseCommandLine } from '../command-line.ts'
import { createProgress } from '../run/progress.mjs'

const action = 'Cannot use scenarios'

/** Octets of a capture file at which the next one begins. */
const captureLimits = { octets: 64_000_000 }

const commands: Readonly<Record<string, (args: readonly string[]) => number>> = {
  list: listScenarios,
  show: showScenario,
  check: checkFiles,
  run: runScenario,
  schema: printSchema,
}

/** Runs one of the commands. @returns the exit code: 1 when a check is red, 2 when the command line or a file is wrong. */
export function useScenarios([name = '', ...args]: readonly string[]): number {
  try {
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined
    if (command !== undefined) return command(args)
    const near = nearest(name, Object.keys(commands))
    const right = near === undefined ? `expected one of ${Object.keys(commands).join(', ')}` : `perhaps ${near}`
    throw new Error(`${action}: "${name}" is not a command, ${right}`)
  } catch (error) {
    console.error(messageOf(error))
    return 2
  }
}

/** Reads a scenario of the library or a file of YAML or JSON; the error has a line for each mistake in it. */
export function openScenario(name: string): CheckedScenario {
  if (!namesFile(name)) return findScenario(name)
  const read = readScenario(readFileSync(name, 'utf8'), (network) => importBeside(name, network))
  if (read.ok) return read.checked
  throw new Error(read.mistakes.map(({ line, text }) => `${name}:${line}: ${text}`).join('\n'))
}

/** Imports a network from the folder of a scenario: NAME.m of MATPOWER, or NAME.json of pandapower. */
function importBeside(file: string, network: string): CaseTables | undefined {
  const path = ['m', 'json'].map((ending) => join(dirname(file), `${basename(network)}.${ending}`)).find(existsSync)
  return path === undefined ? undefined : doAtOnce(importCase(readFileSync(path, 'utf8'), { name: network })).tables
}

/** Tells a file from a name of the library: one of YAML need not exist, so that a wrong path is reported as such. */
function namesFile(name: string): boolean {
  return /\.ya?ml$/.test(name) || (name.endsWith('.json') && existsSync(name))
}

function listScenarios(): number {
  const width = Math.max(...scenarioNames.map((name) => name.length))
  const lines = scenarioNames.map((name) => {
    const { scenario, session } = findScenario(name)
    const { title, network } = scenario
    return `${name.padEnd(width)}  ${network.padEnd(7)}  ${String(session.steps / stepsPerSecond).padStart(5)} s  ${title}\n`
  })
  process.stdout.write(lines.join(''))
  return 0
}

function showScenario(args: readonly string[]): number {
  const [name = ''] = args
  process.stdout.write(stringify(scenarioValue(name), { lineWidth: 120 }))
  return 0
}

function checkFiles(args: readonly string[]): number {
  if (args.length === 0) throw new Error(`${action}: no file is named, expected files of scenarios`)
  for (const name of args) {
    const { scenario, session } = openScenario(name)
    const { timeline, questions } = scenario
    const count = `${timeline.length} entries, ${questions.length} questions, ${session.commands.length} commands`
    process.stdout.write(`${name}: ${scenario.title} (${count}, ${session.steps / stepsPerSecond} s)\n`)
  }
  return 0
}

const runOptions = { out: { type: 'string' }, json: { type: 'boolean' } } as const

function runScenario(args: readonly string[]): number {
  const { values, positionals } = parseCommandLine(action, {
    args: [...args],
    options: runOptions,
    allowPositionals: true,
  })
  const [name, ...more] = positionals
  if (name === undefined || more.length > 0)
    throw new Error(`${action}: run takes one scenario, see "sluice grid scenario list"`)
  const playable = openPlayable(name)
  const { out } = values
  if (out !== undefined && existsSync(out) && readdirSync(out).length > 0) {
    throw new Error(`${action}: ${out} is not empty, expected a new folder`)
  }
  const result = play(playable, out)
  if (out !== undefined) writeResult(out, result)
  process.stdout.write(values.json === true ? `${JSON.stringify(result, null, 2)}\n` : describeResult(result))
  return result.passed ? 0 : 1
}

/** Opens a scenario, or the document of a session, which has no checks. */
function openPlayable(path: string): Playable {
  // The reader of scenarios names the line of a text that is not JSON.
  const document = path.endsWith('.json') && namesFile(path) ? parseJson(readFileSync(path, 'utf8')) : undefined
  if (!isSession(document)) return openScenario(path)
  const source = readSource(basename(path).replace(/(\.session)?\.json$/, ''), document)
  return {
    scenario: { name: source.name, duration: source.steps / stepsPerSecond, timeline: [], questions: [] },
    session: toSessionDocument(source),
    attackIds: new Map(),
  }
}

function play(playable: Playable, out: string | undefined): ScenarioResult {
  const progress = createProgress()
  progress.step(`Playing ${playable.scenario.name}`)
  const run = playScenario(playable, captureLimits)
  try {
    for (;;) {
      const next = run.next()
      if (next.done === true) return next.value
      const { path, bytes, step } = next.value
      progress.detail(`${Math.floor((step / playable.session.steps) * 100)} %`)
      if (out !== undefined) append(join(out, path), bytes)
    }
  } finally {
    progress.end()
  }
}

function append(path: string, bytes: Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, bytes, { flag: 'a' })
}

function writeResult(out: string, { session, ...result }: ScenarioResult): void {
  writeFileSync(join(out, 'session.json'), `${JSON.stringify(session, null, 2)}\n`)
  writeFileSync(join(out, 'result.json'), `${JSON.stringify(result, null, 2)}\n`)
}

/** Lines for people: attacks, checks and answers, and what is red. */
function describeResult({ attacks, checks, questions, passed, counts }: ScenarioResult): string {
  const mark = (isGreen: boolean) => (isGreen ? 'green' : 'RED  ')
  const lines = [
    ...attacks.map(
      ({ id, attack_id, technique, technique_legacy, begins, ends, frames, stations }) =>
        `attack ${id ?? attack_id} (${attack_id}, ${technique}/${technique_legacy}): ${frames} frames from ${begins.toFixed(1)} to ${ends.toFixed(1)} s at ${stations.join(', ')}`,
    ),
    ...checks.map(({ at, text, passed: isGreen, found }) => `${mark(isGreen)} ${at.toFixed(1)} s: ${text} (${found})`),
    ...questions.map(
      ({ ask, answer, derived, passed: isGreen }) =>
        `${mark(isGreen)} ${ask} ${show(answer)}${isGreen ? '' : `, and the run says ${show(derived)}`}`,
    ),
    `${passed ? 'All checks are green' : 'Some checks are red'}: ${counts.frames} frames, ${checks.length} checks, ${questions.length} questions.`,
  ]
  return `${lines.join('\n')}\n`
}

function show(answer: unknown): string {
  return Array.isArray(answer) ? answer.join(', ') : String(answer)
}

function printSchema(): number {
  process.stdout.write(`${JSON.stringify(scenarioSchema(), null, 2)}\n`)
  return 0
}
