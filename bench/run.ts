/**
 * `npm run bench -- [--write] [NAME ...]`: measures, and prints what came out.
 *
 * A name means `bench/NAME.bench.ts`; without names all of them run, one after the other. `--write` puts what
 * each printed between its markers in `bench/README.md`, with the date, the machine and the versions. The exit code
 * is 1 when one of them failed.
 */

import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { bundleWorkers, workerBundle } from '#bin/bundle-workers.ts'
import { projectRoot } from '#bin/project.ts'
import { writeSection } from './page.ts'

const suffix = '.bench.ts'
const outdir = join(projectRoot, '.build/bench')

/** Runs benches and prints what they measure. @param args - as above, without `npm run bench --`. */
export async function runBenches(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { write: { type: 'boolean', default: false } },
    allowPositionals: true,
    strict: true,
  })
  const names = chosen(positionals)
  await bundle(names)
  process.exitCode = names.filter((name) => !measure(name, values.write)).length === 0 ? 0 : 1
}

function chosen(asked: readonly string[]): readonly string[] {
  const files = readdirSync(join(projectRoot, 'bench')).filter((file) => file.endsWith(suffix))
  const known = files.map((file) => file.slice(0, -suffix.length)).sort()
  const unknown = asked.find((name) => !known.includes(name))
  if (unknown === undefined) return asked.length === 0 ? known : asked
  throw new Error(`Cannot measure: there is no bench "${unknown}", expected ${known.join(', ')}`)
}

/** Bundles the benches, the peers that they start, the bare Worker and the Workers under test. */
async function bundle(names: readonly string[]): Promise<void> {
  const typescript = (folder: string) =>
    readdirSync(join(projectRoot, folder))
      .filter((file) => file.endsWith('.ts'))
      .map((file) => join(folder, file))
  const node = {
    absWorkingDir: projectRoot,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    packages: 'external',
    sourcemap: 'inline',
    logLevel: 'error',
    loader: { '.html': 'text' },
    outdir,
    outExtension: { '.js': '.mjs' },
  } as const
  await build({ ...node, entryPoints: names.map((name) => join('bench', `${name}${suffix}`)), outbase: 'bench' })
  await build({ ...node, entryPoints: typescript('bench/peers'), outbase: 'bench/peers' })
  const bare = join(outdir, 'bare.js')
  await build({ ...workerBundle, write: true, entryPoints: ['bench/bare/worker.ts'], outfile: bare })
  await bundleWorkers()
}

function measure(name: string, isWritten: boolean): boolean {
  console.log(`## ${name}\n`)
  const { status, stdout } = spawnSync(process.execPath, ['--enable-source-maps', join(outdir, `${name}.bench.mjs`)], {
    cwd: projectRoot,
    env: { ...process.env, WRANGLER_LOG: 'error' },
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  })
  console.log(stdout)
  if (status === 0 && isWritten) writeSection(name, stdout.trim())
  if (status !== 0) console.error(`Cannot measure ${name}: it ended with exit code ${status}`)
  return status === 0
}
