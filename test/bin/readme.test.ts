import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { projectRoot } from '../../bin/project.ts'
import { findProgram, freePort, type RunningProgram, startProgram, waitFor } from '../support/process.ts'

const readme = readFileSync(join(projectRoot, 'README.md'), 'utf8')
const commands = [...readme.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map((match) => match[1] ?? '')
const links = [...readme.matchAll(/\]\(((?!https?:)[^)]+)\)/g)].map((match) => match[1] ?? '')

describe('README.md', () => {
  it('links to files that exist', () => {
    expect(links.filter((link) => !existsSync(join(projectRoot, link)))).toEqual([])
  })
})

describe.skipIf(findProgram('curl') === null)('the commands of README.md (skipped without curl)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-readme-'))
  let program: RunningProgram
  let ports: { http: number; debug: number }

  beforeAll(async () => {
    ports = { http: await freePort(), debug: await freePort() }
    const flags = [
      '--port',
      `${ports.http}`,
      '--debug-port',
      `${ports.debug}`,
      '--grpc-port',
      '0',
      '--node-port',
      '0',
    ]
    program = startProgram(process.execPath, [
      join(projectRoot, 'bin/run.mjs'),
      'start',
      ...flags,
      '--persist',
      folder,
    ])
    await waitFor('the greeting', async () => program.output().includes('Sluice runs on'), program, 120_000)
  }, 150_000)
  afterAll(async () => {
    await program.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it('are several', () => {
    expect(commands.length).toBeGreaterThan(5)
  })

  it.each(commands.map((command) => [command.trim()]))('%s', (command) => {
    const local = command
      .replaceAll('127.0.0.1:8080', `127.0.0.1:${ports.http}`)
      .replaceAll('127.0.0.1:6070', `127.0.0.1:${ports.debug}`)
      .replaceAll('curl -s', 'curl -sS --fail-with-body')
    const secrets = JSON.parse(readFileSync(join(folder, 'secrets.json'), 'utf8'))
    const { status, stdout, stderr } = spawnSync('bash', ['-e', '-c', local], {
      cwd: folder,
      env: { ...process.env, ...secrets },
      encoding: 'utf8',
    })
    expect(status, `${stdout}${stderr}`).toBe(0)
    if (!command.includes(' -o ')) expect(stdout.length).toBeGreaterThan(20)
  })
})
