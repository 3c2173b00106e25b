/** Workers on the machine of their developer: servers, the answers of one after another, and types. */

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { projectRoot } from '#bin/project.ts'
import { freePort, startProgram, waitFor } from '../../support/process.ts'
import { run } from './packed.ts'

/** The program `wrangler`. */
export const wrangler = join(projectRoot, 'node_modules/wrangler/bin/wrangler.js')
/** The environment of a server of development, which asks nothing of the platform. */
export const development = { WRANGLER_SEND_METRICS: 'false', CLOUDFLARE_CF_FETCH_ENABLED: 'false', CI: '1' }

/** Runs `wrangler dev` in a folder while `body` asks it. */
export async function withWrangler(
  at: string,
  body: (url: string) => Promise<void>,
  ...more: readonly string[]
): Promise<void> {
  const state = ['--inspector-port', '0', '--persist-to', join(at, 'state')]
  await withServer(at, [wrangler, 'dev', ...more, '--ip', '127.0.0.1', ...state], 'Ready on', body)
}

/** Runs a server of development, which says `ready`, while `body` asks it. */
export async function withServer(
  at: string,
  command: readonly string[],
  ready: string,
  body: (url: string) => Promise<void>,
): Promise<void> {
  const port = await freePort()
  const program = startProgram(process.execPath, [...command, '--port', `${port}`], development, at)
  try {
    await waitFor('the address', async () => program.output().includes(ready), program)
    await body(`http://127.0.0.1:${port}`)
  } finally {
    await program.stop()
  }
}

/** Statuses of requests, one after another. */
export async function statuses(url: string, count: number, init: RequestInit = {}): Promise<readonly number[]> {
  const seen: number[] = []
  for (let sent = 0; sent < count; sent++) seen.push((await fetch(url, init)).status)
  return seen
}

/** Types of Workers as `wrangler types` writes them, checked with the sources of a folder. */
export async function checkWorkerTypes(at: string, ...configurations: readonly string[]): Promise<string> {
  const options = { cwd: at, env: { ...process.env, ...development } }
  await run(process.execPath, [wrangler, 'types', '--include-runtime=false', ...configurations], options)
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: 'es2024',
    lib: ['es2024'],
    module: 'esnext',
    moduleResolution: 'bundler',
    types: [join(projectRoot, 'node_modules/@cloudflare/workers-types')],
  }
  await writeFile(join(at, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
  const compiled = run(join(projectRoot, 'node_modules/.bin/tsc'), ['-p', '.'], { cwd: at })
  return compiled.then(
    () => '',
    (error: { readonly stdout: string }) => error.stdout,
  )
}
