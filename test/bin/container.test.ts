/** The steps of the Dockerfile in a plain folder, its process as another user, and the image where Docker runs. */

import { execFile, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
} from 'node:fs'
import { chown } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { projectRoot } from '#bin/project.ts'
import { makeFolder } from '../support/folder.ts'
import { offline } from '../support/offline.ts'
import { freePort } from '../support/process.ts'
import { within } from '../support/wait.ts'

const run = promisify(execFile)

/** An instruction with its argument, lines that continue put together. */
interface Instruction {
  readonly name: string
  readonly argument: string
}

const instructions: readonly Instruction[] = readFileSync(join(projectRoot, 'Dockerfile'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => ({ name: line.split(' ')[0] ?? '', argument: line.slice(line.indexOf(' ') + 1) }))
const argumentsOf = (name: string) => instructions.flatMap((one) => (one.name === name ? [one.argument] : []))

/** The folder that is the root of the image. */
const root = makeFolder()
const isRoot = process.getuid?.() === 0
const uid = Number(argumentsOf('USER')[0]?.split(':')[0])

/** Paths of the image as paths below the folder. */
const inside = (text: string) => text.replace(/(^|[\s"=])\/(src|out|opt|data)(?=[/\s":]|$)/g, `$1${root}/$2`)
const words = (json: string) => (JSON.parse(inside(json)) as readonly string[]).map((word) => word)

const environment = Object.fromEntries(
  argumentsOf('ENV').map((pair) => [pair.split('=')[0], inside(pair.slice(pair.indexOf('=') + 1))]),
)

let isOffline = false

/** The files that COPY takes: those under version control; packages are those of this project instead of `npm ci`. */
async function copySources(): Promise<void> {
  const { stdout } = await run('git', ['ls-files', '-z'], { cwd: projectRoot, maxBuffer: 16 * 1024 * 1024 })
  for (const path of stdout.split('\0').filter((name) => name !== '')) {
    mkdirSync(dirname(join(root, 'src', path)), { recursive: true })
    copyFileSync(join(projectRoot, path), join(root, 'src', path))
  }
  // Links one by one, so that nothing can be removed through them.
  mkdirSync(join(root, 'src/node_modules'))
  for (const name of readdirSync(join(projectRoot, 'node_modules'))) {
    symlinkSync(join(projectRoot, 'node_modules', name), join(root, 'src/node_modules', name))
  }
  // Older than the packages, or they would be installed again.
  utimesSync(join(root, 'src/package-lock.json'), 0, 0)
}

async function runStep(command: string): Promise<void> {
  if (command.startsWith('npm ci ')) return
  // Only the owner of a machine can give a folder to another user.
  const step = isRoot ? inside(command) : inside(command).replace(/&& chown \S+ \S+/, '')
  const options = { cwd: join(root, 'src'), env: { ...process.env, npm_config_prefer_offline: 'true' } }
  await run('sh', ['-c', step], { ...options, maxBuffer: 16 * 1024 * 1024 })
}

beforeAll(async () => {
  chmodSync(root, 0o755)
  await copySources()
  try {
    for (const command of argumentsOf('RUN')) await runStep(command)
  } catch (error) {
    isOffline = offline.test(String(error))
    if (!isOffline) throw error
  }
  mkdirSync(join(root, 'tmp'))
  if (isRoot) await chown(join(root, 'tmp'), uid, uid)
})

describe('the Dockerfile', () => {
  it('names a user without rights, one volume and a health check, and lists no secret', () => {
    expect(uid).toBeGreaterThan(0)
    expect(argumentsOf('VOLUME')).toEqual(['/data'])
    expect(argumentsOf('HEALTHCHECK')).toHaveLength(1)
    expect(readFileSync(join(projectRoot, 'Dockerfile'), 'utf8')).not.toMatch(/TOKEN|PRIVATE_KEY/)
  })

  it('copies files of the project that exist, none that Docker leaves out, and from stages that it names', () => {
    const ignored = readFileSync(join(projectRoot, '.dockerignore'), 'utf8').trim().split('\n')
    const stages = argumentsOf('FROM').flatMap((from) => / AS (\w+)$/.exec(from)?.[1] ?? [])
    const copies = argumentsOf('COPY').map((copy) => copy.split(' '))
    expect(copies.length).toBeGreaterThan(0)
    for (const words of copies) {
      const from = words.find((word) => word.startsWith('--from='))?.slice('--from='.length)
      if (from !== undefined) {
        expect(stages).toContain(from)
        continue
      }
      const sources = words.slice(0, -1)
      expect(sources.filter((path) => !existsSync(join(projectRoot, path)) || ignored.includes(path))).toEqual([])
    }
  })

  it('installs by the lock file before it copies the sources, from images with a version, and ends as the user', () => {
    const names = instructions.map(({ name, argument }) => `${name} ${argument}`)
    const at = (start: string) => names.findIndex((line) => line.startsWith(start))
    expect(at('COPY package.json package-lock.json')).toBeLessThan(at('RUN npm ci'))
    expect(at('RUN npm ci')).toBeLessThan(at('COPY . .'))
    expect(argumentsOf('FROM').every((from) => /node:\d+-\w+-slim/.test(from))).toBe(true)
    const last = instructions.findLastIndex(({ name }) => name === 'RUN')
    // What follows the last step runs as the user; numbers, so that a cluster can see that it is not root.
    expect(instructions.slice(last).filter(({ name }) => name === 'USER')).toHaveLength(1)
    expect(argumentsOf('USER')[0]).toMatch(/^[1-9]\d*:[1-9]\d*$/)
    for (const name of ['ENTRYPOINT', 'CMD']) expect(argumentsOf(name)[0]).toMatch(/^\[".*"\]$/)
  })

  it('makes a folder whose process serves as that user, is healthy, writes only its volume and ends on SIGTERM', async ({
    skip,
  }) => {
    skip(isOffline, 'the registry cannot be reached')
    const ports = { PORT: await freePort(), GRPC_PORT: await freePort() }
    const env = {
      PATH: process.env.PATH,
      // No home folder, as in the image; what is temporary is in its own file system there.
      HOME: '/nonexistent',
      TMPDIR: join(root, 'tmp'),
      ...environment,
      ...Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, `${port}`])),
      DEBUG_PORT: '0',
      SLUICE_NODE_PORT: '0',
    }
    const [program = '', ...args] = [
      ...words(argumentsOf('ENTRYPOINT')[0] ?? '[]'),
      ...words(argumentsOf('CMD')[0] ?? '[]'),
    ]
    const user = isRoot ? { uid, gid: uid } : {}
    const child = spawn(program, args, { cwd: join(root, 'data'), env, ...user })
    const printed: string[] = []
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => printed.push(`${text}`))
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
    try {
      const check = words(/CMD (\[.*\])$/.exec(argumentsOf('HEALTHCHECK')[0] ?? '')?.[1] ?? '[]')
      const health = () => spawnSync(check[0] ?? '', check.slice(1), { env, ...user, encoding: 'utf8' })
      await expect.poll(() => (child.exitCode === null ? health().status : printed.join('')), { interval: 500 }).toBe(0)
      await expect.poll(() => printed.join(''), { interval: 200 }).toContain('Sluice runs on')
      const url = `http://127.0.0.1:${ports.PORT}`
      const decision = { domain: 'shop', descriptors: [{ entries: [{ key: 'login', value: 'me' }] }] }
      const answer = await fetch(`${url}/json`, { method: 'POST', body: JSON.stringify(decision) })
      expect(await answer.json()).toMatchObject({ overallCode: 'OK' })
      expect(readdirSync(join(root, 'data'))).toEqual(expect.arrayContaining(['secrets.json', 'state']))
    } finally {
      child.kill('SIGTERM')
    }
    const code = await within('the end of the start', ended, () => printed.join(''))
    expect([code, readdirSync(root).sort()]).toEqual([0, ['data', 'opt', 'src', 'tmp']])
    // Forgotten by a start that stops in order only.
    expect(readdirSync(join(root, 'data'))).not.toContain('runtime.json')
  })
})

const hasDocker = spawnSync('docker', ['info'], { stdio: 'ignore' }).status === 0

describe.skipIf(!hasDocker)('docker build (skipped without a Docker daemon)', () => {
  it('makes an image that serves on a read-only root', async () => {
    const tag = `sluice-test-${process.pid}`
    await run('docker', ['build', '--tag', tag, projectRoot], { maxBuffer: 64 * 1024 * 1024 })
    const flags = ['--detach', '--rm', '--read-only', '--tmpfs', '/tmp', '--name', tag]
    await run('docker', ['run', ...flags, tag])
    try {
      const state = async () =>
        (await run('docker', ['inspect', '--format', '{{.State.Health.Status}}', tag])).stdout.trim()
      await expect.poll(state, { interval: 1000 }).toBe('healthy')
    } finally {
      await run('docker', ['rm', '--force', '--volumes', tag])
      await run('docker', ['rmi', '--force', tag])
    }
  })
})
