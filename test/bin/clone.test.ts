/** Each way from a clone, by the lines of `docs/operations.md` and nothing else, in a copy without packages and state. */

import { type ChildProcess, spawn } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { projectRoot } from '#bin/project.ts'
import { makeFolder } from '../support/folder.ts'
import { offline } from '../support/offline.ts'
import { freePort } from '../support/process.ts'
import { once, within } from '../support/wait.ts'

const parent = makeFolder()
/** Named as the pages name it. */
const clone = join(parent, 'sluice')

const page = readFileSync(join(projectRoot, 'docs/operations.md'), 'utf8')
const section = page.slice(page.indexOf('## From a clone'), page.indexOf('## Run on one machine'))
/** The lines of each block, in the order of the page. */
const ways = [...section.matchAll(/```console\n([\s\S]*?)```/g)].map(([, body = '']) =>
  body
    .trim()
    .split('\n')
    .map((line) => line.replace(/^\$ /, '')),
)

const ports: Record<string, string> = {}
let devPort = ''
const environment = () => ({
  ...process.env,
  ...ports,
  npm_config_prefer_offline: 'true',
  npm_config_fetch_retries: '0',
  WRANGLER_SEND_METRICS: 'false',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  CI: '1',
})

const running = new Set<ChildProcess>()

interface Line {
  readonly child: ChildProcess
  readonly ended: () => Promise<number | null>
  readonly printed: () => string
}

/** Starts lines in a shell that leads a group, so that all of it can be ended. */
function run(lines: readonly string[], cwd = clone): Line {
  const child = spawn('bash', ['-e', '-c', lines.join('\n')], {
    cwd,
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  running.add(child)
  const printed: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => printed.push(`${text}`))
  const printedSoFar = () => printed.join('')
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
  return { child, ended: () => within(lines.join('; '), closed, printedSoFar, 400_000), printed: printedSoFar }
}

let isOffline = false

async function runToEnd(lines: readonly string[], cwd = clone): Promise<string> {
  const { ended, printed } = run(lines, cwd)
  expect(await ended(), printed()).toBe(0)
  return printed()
}

/** Starts a server, asks it for a decision once it listens, and ends it. */
async function serve(lines: readonly string[], port: string, cwd = clone): Promise<void> {
  const { child, ended, printed } = run(lines, cwd)
  const decision = { domain: 'shop', descriptors: [{ entries: [{ key: 'login', value: 'me' }] }] }
  const ask = async () => {
    if (child.exitCode !== null) return printed()
    const url = `http://127.0.0.1:${port}/json`
    const answer = await fetch(url, { method: 'POST', body: JSON.stringify(decision) }).catch(() => null)
    return answer?.ok ? answer.json() : null
  }
  try {
    await expect.poll(ask, { timeout: 200_000, interval: 500 }).toMatchObject({ overallCode: 'OK' })
  } finally {
    end(child)
    await ended()
  }
}

function end(child: ChildProcess): void {
  running.delete(child)
  // The group: npm and its shell would leave what they started.
  if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM')
}

beforeAll(async () => {
  const listed = spawn('git', ['ls-files', '-z'], { cwd: projectRoot })
  const names: string[] = []
  listed.stdout.on('data', (text) => names.push(`${text}`))
  await once(listed, 'close')
  for (const path of names.join('').split('\0').filter(Boolean)) {
    mkdirSync(dirname(join(clone, path)), { recursive: true })
    copyFileSync(join(projectRoot, path), join(clone, path))
  }
  for (const name of ['PORT', 'GRPC_PORT', 'DEBUG_PORT', 'SLUICE_NODE_PORT', 'SLUICE_ADMIN_PORT'])
    ports[name] = `${await freePort()}`
  devPort = `${await freePort()}`
})

afterAll(() => {
  for (const child of running) end(child)
})

describe('from a clone', () => {
  const way = (first: string) => ways.find((lines) => lines.includes(first)) ?? []
  const port = () => ports.PORT ?? ''

  it('there are five ways, each with its lines', () => {
    expect(ways.map((lines) => lines.at(-1)?.split(' ').slice(0, 3).join(' '))).toEqual([
      'npm start',
      'npx sluice start',
      'npx wrangler dev',
      'npx wrangler deploy',
      'docker run --name',
    ])
  })

  it('npm start installs, serves and decides', async ({ skip }) => {
    await serve(way('npm start'), port()).catch((error: unknown) => {
      isOffline = offline.test(String(error))
      skip(isOffline, 'the registry cannot be reached')
      throw error
    })
  })

  it('wrangler dev serves with the copied settings', async ({ skip }) => {
    skip(isOffline, 'the registry cannot be reached')
    const [install = '', copy = '', dev = ''] = way('cp .dev.vars.example .dev.vars')
    // The first start has run it.
    expect(install).toBe('npm ci')
    await runToEnd([copy])
    const place = `--ip 127.0.0.1 --port ${devPort} --inspector-port 0`
    await serve([`${dev} ${place}`], devPort)
  })

  it('wrangler deploy --dry-run bundles what would be deployed', async ({ skip }) => {
    skip(isOffline, 'the registry cannot be reached')
    const [, dryRun = ''] = way('npx wrangler login')
    expect(dryRun).toContain('--dry-run')
    expect(await runToEnd([dryRun])).toContain('--dry-run: exiting now')
  })

  it('the packed file starts with npx sluice in another folder', async ({ skip }) => {
    skip(isOffline, 'the registry cannot be reached')
    const lines = way('npm pack')
    await runToEnd(lines.slice(0, -1))
    await serve(lines.slice(-1), port(), join(parent, 'elsewhere'))
  })

  it('leaves nothing behind that git would take or Docker would copy', async ({ skip }) => {
    skip(isOffline, 'the registry cannot be reached')
    const status = 'git init --quiet && git add --all && git ls-files'
    const taken = (await runToEnd([status])).trim().split('\n')
    const listed = await runToEnd(['git ls-files'], projectRoot)
    expect(taken.sort()).toEqual(listed.trim().split('\n').sort())
    const ignored = readFileSync(join(projectRoot, '.dockerignore'), 'utf8').split('\n')
    expect(ignored).toEqual(expect.arrayContaining(['.dev.vars*', '.env*', '.sluice', '*.tgz', 'node_modules']))
  })
})
