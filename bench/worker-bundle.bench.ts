/** Size of the script of each environment as `wrangler deploy` uploads it: minified, with its source map beside. */

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { projectRoot } from '#bin/project.ts'
import { printTable } from './report.ts'

const environments = [
  ['', 'the whole'],
  ['grid', 'grid'],
  ['ratelimit', 'rate limit'],
  ['streamnet', 'gateway and node'],
] as const

const kB = (bytes: number) => `${(bytes / 1000).toFixed(0)} kB`

const rows = environments.map(([environment, name]) => {
  const outdir = mkdtempSync(join(tmpdir(), 'sluice-bundle-'))
  const args = ['deploy', '--dry-run', `--env=${environment}`, '--outdir', outdir]
  const { status, stderr } = spawnSync(join(projectRoot, 'node_modules/.bin/wrangler'), args, {
    cwd: projectRoot,
    env: { ...process.env, WRANGLER_SEND_METRICS: 'false', CI: '1' },
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`Cannot bundle ${name}: ${stderr}`)
  const files = readdirSync(outdir)
  const read = (ending: string) => {
    const file = files.find((one) => one.endsWith(ending))
    if (file === undefined) throw new Error(`Cannot measure ${name}: the dry run left no *${ending}`)
    return readFileSync(join(outdir, file))
  }
  const [script, map] = [read('.js'), read('.js.map')]
  rmSync(outdir, { recursive: true, force: true })
  return [name, kB(script.length), kB(gzipSync(script).length), kB(map.length)]
})
printTable(['environment', 'minified', 'gzipped', 'source map'], rows)
