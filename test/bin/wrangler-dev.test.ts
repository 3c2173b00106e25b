/**
 * `npx wrangler dev` of every environment, right after `.dev.vars.example` was copied, in a folder that is as a clone;
 * and beside the Worker of another project, from that project's folder.
 */

import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { projectRoot } from '#bin/project.ts'
import { makeFolder } from '../support/folder.ts'
import { freePort, startProgram, waitFor } from '../support/process.ts'

const folder = makeFolder()

// What wrangler writes is in the folder; everything that it reads leads to the project.
for (const name of readdirSync(projectRoot)) {
  if (name.startsWith('.') || name === 'wrangler.toml' || name === 'dist' || name === 'node_modules') continue
  symlinkSync(join(projectRoot, name), join(folder, name))
}
// Links one by one, so that nothing can be removed through them.
mkdirSync(join(folder, 'node_modules'))
for (const name of readdirSync(join(projectRoot, 'node_modules'))) {
  symlinkSync(join(projectRoot, 'node_modules', name), join(folder, 'node_modules', name))
}
copyFileSync(join(projectRoot, 'wrangler.toml'), join(folder, 'wrangler.toml'))
copyFileSync(join(projectRoot, '.dev.vars.example'), join(folder, '.dev.vars'))

const wrangler = join(projectRoot, 'node_modules/wrangler/bin/wrangler.js')
const environment = {
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  CI: '1',
}

/** The first request of each surface, with what it must answer. */
const requests = {
  ratelimit: async (url: string) => {
    const decision = { domain: 'shop', descriptors: [{ entries: [{ key: 'login', value: 'me' }] }] }
    const answer = await fetch(`${url}/json`, { method: 'POST', body: JSON.stringify(decision) })
    expect(await answer.json()).toMatchObject({ statuses: [{ currentLimit: { requestsPerUnit: 5 } }] })
  },
  grid: async (url: string) => {
    const headers = { authorization: 'Bearer change-me-grid-token' }
    expect((await fetch(`${url}/api/v1/simulation`, { headers })).status).toBe(200)
  },
  streamnet: async (url: string) => {
    const headers = { authorization: 'Bearer change-me-gateway-token' }
    const answer = await fetch(`${url}/streamnet/v1/list_streams?limit=3`, { headers })
    expect(JSON.stringify(await answer.json())).toContain('stream_id')
  },
}
type Surface = keyof typeof requests

const surfaces: readonly Surface[] = ['ratelimit', 'grid', 'streamnet']
const places: readonly { readonly name: string; readonly serves: readonly Surface[] }[] = [
  { name: '', serves: surfaces },
  ...surfaces.map((name) => ({ name, serves: [name] })),
]

async function isHealthy(url: string): Promise<boolean> {
  return (await fetch(`${url}/healthcheck`).catch(() => null))?.status === 200
}

describe('npx wrangler dev', () => {
  it.each(places)('with --env "$name" answers right after the copy', async ({ name, serves }) => {
    const port = await freePort()
    const place = ['--port', `${port}`, '--ip', '127.0.0.1', '--inspector-port', '0']
    const args = [wrangler, 'dev', `--env=${name}`, ...place, '--persist-to', join(folder, `state-${name}`)]
    const program = startProgram(process.execPath, args, environment, folder)
    const url = `http://127.0.0.1:${port}`
    try {
      await waitFor('health', () => isHealthy(url), program)
      for (const surface of serves) await requests[surface](url)
    } finally {
      await program.stop()
    }
  })

  it('answers another Worker, from the folder of its project', async () => {
    const project = makeFolder(onTestFinished)
    symlinkSync(folder, join(project, 'sluice'))
    const config = [
      ...['name = "mine"', 'main = "mine.js"', 'compatibility_date = "2026-04-20"'],
      ...['[[services]]', 'binding = "SERVICE"', 'service = "sluice-ratelimit"'],
      ...['[[services]]', 'binding = "LIMITER"', 'service = "sluice-ratelimit"', 'entrypoint = "RateLimiter"'],
      'props = { domain = "shop" }',
    ]
    writeFileSync(join(project, 'wrangler.toml'), config.join('\n'))
    const script = `export default { async fetch(request, env) {
      if (!request.url.endsWith('/limit')) return env.SERVICE.fetch(request)
      return Response.json(await env.LIMITER.limit({ entries: { login: 'you' } }))
    } }`
    writeFileSync(join(project, 'mine.js'), script)
    const port = await freePort()
    const place = ['--port', `${port}`, '--ip', '127.0.0.1', '--inspector-port', '0']
    const both = ['-c', 'wrangler.toml', '-c', 'sluice/wrangler.toml', '--env', 'ratelimit']
    const state = ['--persist-to', join(project, 'state')]
    const program = startProgram(process.execPath, [wrangler, 'dev', ...both, ...place, ...state], environment, project)
    try {
      const url = `http://127.0.0.1:${port}`
      await waitFor('health', () => isHealthy(url), program)
      await requests.ratelimit(url)
      const result = { success: true, limit: 5, remaining: 4, period: 60, reason: null }
      expect(await (await fetch(`${url}/limit`)).json()).toMatchObject(result)
    } finally {
      await program.stop()
    }
  })

  it('deploys from its own folder only, where the console is bundled', () => {
    const args = [wrangler, 'deploy', '--dry-run', '-c', join(folder, 'wrangler.toml'), '--env', 'ratelimit']
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: tmpdir(),
      env: { ...process.env, ...environment },
      encoding: 'utf8',
    })
    expect(status).toBe(1)
    expect(`${stdout}${stderr}`).toContain('The console is not bundled: run npm run build')
  })
})
