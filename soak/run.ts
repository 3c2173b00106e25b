/**
 * `npm run soak -- [--write] [--scale PART] [NAME ...]`: attacks a running copy of the product, and says what held.
 *
 * A name means `soak/NAME.soak.ts`; without names all of them run, one after the other. `--scale 0.01` runs a
 * hundredth of each. `--write` puts the rows into `bench/README.md`, beside those of soaks that do not run now. The exit
 * code is 1 when something did not hold. All load goes to this machine.
 */

import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { readSection, writeSection } from '#bench/page.ts'
import { bundleWorkers } from '#bin/bundle-workers.ts'
import { projectRoot } from '#bin/project.ts'
import type { Outcome } from './outcome.ts'

const suffix = '.soak.ts'
const outdir = join(projectRoot, '.build/soak')

/** A soak by name, and what it came to; null when it ended without a result. */
interface Result {
  readonly name: string
  readonly seconds: number
  readonly outcome: Outcome | null
}

/** Runs soaks and prints what held. @param args - as above, without `npm run soak --`. */
export async function runSoaks(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { write: { type: 'boolean', default: false }, scale: { type: 'string', default: '1' } },
    allowPositionals: true,
    strict: true,
  })
  const scale = Number(values.scale)
  if (!(scale > 0 && scale <= 1)) throw new Error(`Cannot soak: --scale is "${values.scale}", expected a part of 1`)
  const names = chosen(positionals)
  await bundle(names)
  const results = names.map((name) => soak(name, scale))
  const rows = new Map(results.map((result) => [result.name, rowOf(result)]))
  console.log(`\n${tableOf(rows)}`)
  if (values.write) writeSection('soak', tableOf(new Map([...readRows(), ...rows])))
  process.exitCode = results.every(({ outcome }) => isHeld(outcome)) ? 0 : 1
}

function chosen(asked: readonly string[]): readonly string[] {
  const files = readdirSync(join(projectRoot, 'soak')).filter((file) => file.endsWith(suffix))
  const known = files.map((file) => file.slice(0, -suffix.length)).sort()
  const unknown = asked.find((name) => !known.includes(name))
  if (unknown === undefined) return asked.length === 0 ? known : asked
  throw new Error(`Cannot soak: there is no soak "${unknown}", expected ${known.join(', ')}`)
}

async function bundle(names: readonly string[]): Promise<void> {
  await build({
    absWorkingDir: projectRoot,
    entryPoints: [...names.map((name) => join('soak', `${name}${suffix}`)), 'soak/main.ts'],
    outbase: 'soak',
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    packages: 'external',
    sourcemap: 'inline',
    loader: { '.html': 'text' },
    logLevel: 'error',
  })
  await bundleWorkers()
}

/** Runs one in a separate process, which prints its outcome as the last line. */
function soak(name: string, scale: number): Result {
  const began = performance.now()
  const script = join(outdir, 'main.mjs')
  const { stdout } = spawnSync(process.execPath, ['--enable-source-maps', script, name, String(scale)], {
    cwd: projectRoot,
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  const last = stdout.trim().split('\n').at(-1) ?? ''
  const outcome = last.startsWith('{') ? (JSON.parse(last) as Outcome) : null
  const result = { name, seconds: Math.round((performance.now() - began) / 1000), outcome }
  console.log(
    `${isHeld(outcome) ? 'held  ' : 'FAILED'}  ${name} (${result.seconds} s): ${outcome?.done ?? 'ended without a result'}`,
  )
  for (const fact of outcome?.facts ?? []) console.log(`      ${fact}`)
  for (const violation of outcome?.violations ?? []) console.log(`  !!  ${violation}`)
  return result
}

function isHeld(outcome: Result['outcome']): boolean {
  return outcome?.violations.length === 0
}

function rowOf({ name, seconds, outcome }: Result): string {
  const cells = [
    name,
    outcome?.done ?? 'ended without a result',
    outcome?.facts.join('; ') ?? '',
    `${seconds} s`,
    isHeld(outcome) ? 'held' : 'failed',
  ]
  return `| ${cells.join(' | ')} |`
}

function tableOf(rows: ReadonlyMap<string, string>): string {
  const sorted = [...rows].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row)
  return ['| soak | what was done | figures | took | |', '| --- | --- | --- | --- | --- |', ...sorted].join('\n')
}

/** The rows that the page has, by name: a soak that does not run now keeps its row. */
function readRows(): readonly (readonly [name: string, row: string])[] {
  const rows = readSection('soak').matchAll(/^\| ([a-z][a-z-]*) \|.*\| (?:held|failed) \|$/gm)
  return [...rows].map(([row, name = '']) => [name, row])
}
