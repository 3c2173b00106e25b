/** `sluice grid dataset`: runs of sessions as a labelled data set, without a service. */

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { basename, join } from 'node:path'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { messageOf } from '#base/errors.ts'
import { parseJson } from '#base/json.ts'
import { encodeUtf8 } from '#base/utf8.ts'
import { version } from '#base/version.ts'
import { writeDataSheet } from '#grid/dataset/data-sheet.ts'
import type { Manifest, WrittenFile, WrittenRun } from '#grid/dataset/manifest.ts'
import { planRuns, type Run, type Source } from '#grid/dataset/plan.ts'
import type { CaptureLimits } from '#grid/dataset/run.ts'
import { readSource } from '#grid/dataset/source.ts'
import { findScenario, scenarioValue } from '#grid/scenario/library.ts'
import type { CheckedScenario } from '#grid/scenario/session.ts'
import { parseCommandLine, parseWhole } from '../command-line.ts'
import { createProgress } from '../run/progress.mjs'
import { writeRun, writeRunInThread } from './dataset-run.ts'
import { openScenario } from './scenario.ts'

const action = 'Cannot make a data set'

const options = {
  out: { type: 'string' },
  runs: { type: 'string', default: '10' },
  seed: { type: 'string', default: '1' },
  jobs: { type: 'string', default: `${availableParallelism()}` },
  'capture-mb': { type: 'string', default: '64' },
  'capture-seconds': { type: 'string' },
} as const

/** Makes the data set. @returns the exit code: 2 where the command line, a file or the folder is wrong. */
export async function makeDataset(args: readonly string[]): Promise<number> {
  try {
    const { values, positionals } = parseCommandLine(action, { args: [...args], options, allowPositionals: true })
    const out = requireEmpty(values.out)
    const sources = positionals.map(readFile)
    if (sources.length === 0)
      throw refuse('no source is named, expected scenarios or files of "sluice grid export session"')
    refuseTwins(sources)
    const seed = parseWhole(action, '--seed', values.seed, { least: 0, most: 0xffffffff })
    const runs = parseWhole(action, '--runs', values.runs, { least: 1, most: 999 })
    const jobs = parseWhole(action, '--jobs', values.jobs, { least: 1, most: 256 })
    const limits = parseLimits(values['capture-mb'], values['capture-seconds'])
    const planned = planRuns(
      sources.map(({ source }) => source),
      { runs, seed },
    )
    const written = await writeRuns(planned, { out, limits, jobs })
    writeSummary(out, {
      format: 'sluice-grid-dataset',
      version: 1,
      release: version,
      seed,
      runs_of_each: runs,
      sources: sources.map(({ file }) => file),
      runs: written,
    })
    return 0
  } catch (error) {
    console.error(messageOf(error))
    return 2
  }
}

function parseLimits(megabytes: string, age: string | undefined): CaptureLimits {
  const octets = parseWhole(action, '--capture-mb', megabytes, { least: 1, most: 2_000 }) * 1_000_000
  if (age === undefined) return { octets }
  return { octets, seconds: parseWhole(action, '--capture-seconds', age, { least: 1, most: 86_400 }) }
}

interface GivenSource {
  readonly file: WrittenFile
  readonly source: Source
}

/** Reads a session, or a scenario: a file of YAML, or a name of the library. */
function readFile(path: string): GivenSource {
  if (/\.ya?ml$/.test(path)) return toSource(openScenario(path), basename(path), readFileSync(path))
  if (!path.endsWith('.json') && !existsSync(path)) return toSource(findScenario(path), path, writeScenario(path))
  const octets = readFileSync(path)
  const name = basename(path).replace(/(\.session)?\.json$/, '')
  const value = parseJson(octets.toString())
  if (value === undefined) throw refuse(`${path} is not JSON, expected a file of "sluice grid export session"`)
  return { file: describeFile(basename(path), octets), source: readSource(name, value) }
}

function toSource({ scenario, session }: CheckedScenario, path: string, octets: Uint8Array): GivenSource {
  return { file: describeFile(path, octets), source: { name: scenario.name, ...session } }
}

function describeFile(path: string, octets: Uint8Array): WrittenFile {
  return { path, octets: octets.length, sha256: bytesToHex(sha256(octets)) }
}

/** The octets of a scenario of the library, for its hash in the manifest. */
function writeScenario(name: string): Uint8Array {
  return encodeUtf8(JSON.stringify(scenarioValue(name)))
}

function refuseTwins(sources: readonly GivenSource[]): void {
  const names = sources.map(({ source: { name } }) => name)
  const twin = names.find((name, index) => names.indexOf(name) < index)
  if (twin !== undefined) throw refuse(`two sources are named "${twin}", expected another name for each`)
}

function requireEmpty(out: string | undefined): string {
  if (out === undefined) throw refuse('there is no --out, expected --out FOLDER')
  if (existsSync(out) && readdirSync(out).length > 0) throw refuse(`${out} is not empty, expected a new folder`)
  return out
}

function refuse(state: string): Error {
  return new Error(`${action}: ${state}`)
}

/** Computes as many runs side by side as there are jobs. */
async function writeRuns(
  runs: readonly Run[],
  { out, limits, jobs }: { readonly out: string; readonly limits: CaptureLimits; readonly jobs: number },
): Promise<readonly WrittenRun[]> {
  const progress = createProgress()
  progress.step(`Computing ${runs.length} runs`)
  const show = createBar(runs, progress)
  const written: WrittenRun[] = new Array(runs.length)
  const waiting = [...runs.entries()]
  const write = jobs === 1 || runs.length === 1 ? writeRun : writeRunInThread
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, run] = next
      written[index] = await write({ run, out, limits }, (step) => show(run.id, step))
      show(run.id, run.steps)
    }
  }
  try {
    await Promise.all(Array.from({ length: Math.min(jobs, runs.length) }, work))
  } finally {
    progress.end()
  }
  return written
}

function writeSummary(out: string, manifest: Manifest): void {
  mkdirSync(out, { recursive: true })
  writeFileSync(join(out, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`, { flag: 'wx' })
  writeFileSync(join(out, 'data-sheet.md'), writeDataSheet(manifest), { flag: 'wx' })
}

/** Creates the function that takes how far a run is, and shows how far all of them are. */
function createBar(
  runs: readonly Run[],
  progress: ReturnType<typeof createProgress>,
): (id: string, step: number) => void {
  const steps = runs.reduce((sum, run) => sum + run.steps, 0)
  const done = new Map<string, number>()
  return (id, step) => {
    done.set(id, step)
    const share = [...done.values()].reduce((sum, one) => sum + one, 0) / steps
    const bar = '#'.repeat(Math.floor(share * 20)).padEnd(20, '.')
    progress.detail(`[${bar}] ${Math.floor(share * 100)} %`)
  }
}
