/** `sluice smoke` beside a start, and beside deployments that are not as they should be. */

import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import { projectRoot } from '#bin/project.ts'
import { checkDeployment, waitForDeployment } from '#bin/smoke/deployment.ts'
import manifest from '../../package.json' with { type: 'json' }
import { makeFolder } from '../support/folder.ts'
import { listen } from '../support/listen.ts'
import { freePort } from '../support/process.ts'
import { greeting, onlyPort, startSluice } from '../support/start.ts'

const folder = makeFolder()
const servers: Server[] = []
afterAll(() => {
  for (const server of servers) server.close()
})

/** Runs a program while the servers of this file answer. */
async function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const options = { cwd: projectRoot, env: { ...process.env, ...env } }
  return promisify(execFile)(program, [...args], options).then(
    ({ stdout, stderr }) => ({ status: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ status: code as unknown, stdout: `${stdout}`, stderr: `${stderr}` }),
  )
}

const smoke = (...args: readonly string[]) => run(process.execPath, ['bin/sluice.mjs', 'smoke', ...args])

/** A deployment with one surface, and a status for each path; others are 200. */
async function startDeployment(surface: string, statuses: Readonly<Record<string, number>>): Promise<string> {
  const server = createServer((request, response) => {
    const health = { version: '0.0.9', surfaces: [surface] }
    response.writeHead(statuses[request.url ?? ''] ?? 200)
    response.end(request.url === '/healthz' ? JSON.stringify(health) : '{ "secret":\n "rules" }')
  })
  servers.push(server)
  return `http://127.0.0.1:${await listen(server)}`
}

it('the step of the deploy workflow finds nothing wrong with npm start', async () => {
  const port = await freePort()
  const program = startSluice([...onlyPort(port), '--admin-port', '0', '--persist', folder])
  try {
    await greeting(program)
    const workflow = parse(readFileSync(join(projectRoot, '.github/workflows/deploy.yml'), 'utf8'))
    const steps: readonly { readonly run?: string }[] = workflow.jobs.deploy.steps
    const step = steps.find(({ run: line = '' }) => line.includes('smoke'))?.run ?? ''
    const { status, stdout, stderr } = await run('bash', ['-ec', step], { DEPLOY_URL: `http://127.0.0.1:${port}` })
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(new RegExp(`^Version ${manifest.version} with ratelimit, grid, streamnet\n(ok .*\n){8}$`))
  } finally {
    await program.stop()
  }
})

it('says what is open to strangers, and what is not ready', async () => {
  const url = await startDeployment('ratelimit', { '/readyz': 503, '/metrics': 401 })
  const { status, stdout } = await smoke(url)
  expect(status).toBe(1)
  expect(stdout.split('\n')).toEqual([
    'Version 0.0.9 with ratelimit',
    'WRONG GET /readyz: 503 { "secret": "rules" }; expected every part ready (200)',
    'ok    GET /metrics',
    'ok    POST /json',
    'WRONG GET /rlconfig: 200; expected closed to strangers (401 or 403)',
    '',
  ])
})

it('waits for a version, and says which one runs in its place', async () => {
  const url = await startDeployment('grid', {})
  const wrong = 'it runs version 0.0.9, expected 0.1.0'
  await expect(waitForDeployment(url, { version: '0.1.0', waitMs: 0 })).rejects.toThrow(wrong)
  const outcomes = await checkDeployment(url, await waitForDeployment(url, { version: '0.0.9', waitMs: 0 }))
  expect(outcomes.filter(({ answer }) => answer !== null).map(({ check }) => check.path)).toEqual([
    '/metrics',
    '/api/v1/attack/enable',
  ])
})

it.each([
  [[], 'the address is ""'],
  [['nowhere'], 'the address is "nowhere"'],
  [['http://127.0.0.1:1', '--wait', '0'], '/healthz does not answer as JSON'],
  [['http://127.0.0.1:1', '--wait', 'long'], '--wait is "long", expected 0 to 600 seconds'],
])('refuses %j', async (args, message) => {
  const { status, stderr } = await smoke(...args)
  expect([status, stderr]).toEqual([1, expect.stringContaining(message)])
})
