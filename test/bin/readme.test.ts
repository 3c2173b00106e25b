import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { projectRoot } from '#bin/project.ts'
import { expectShown } from '../support/page-examples.ts'
import { findProgram, freePort, type RunningProgram } from '../support/process.ts'
import { greeting, startSluice } from '../support/start.ts'

/** The pages whose commands are run, in this order: one that loads other rules comes after those that need the first. */
const tasks = readdirSync(join(projectRoot, 'docs/tasks')).map((name) => `docs/tasks/${name}`)
const pages = ['README.md', ...tasks].map((path) => {
  const text = readFileSync(join(projectRoot, path), 'utf8')
  // A block in a list is indented with it; a block of text or JSON right behind a command is what it prints.
  const blocks = text.matchAll(/^( *)```sh\n([\s\S]*?)^ *```\n(?:\n```(text|json)\n([\s\S]*?)^```)?/gm)
  const commands = [...blocks].map(([, indent = '', body = '', form, printed]) => ({
    path,
    form,
    command: body.replaceAll(new RegExp(`^${indent}`, 'gm'), '').trim(),
    printed,
  }))
  const links = [...text.matchAll(/\]\(((?!https?:)[^)#]+)[^)]*\)/g)].map((match) => match[1] ?? '')
  return { path, commands, links }
})

describe.each(pages)('$path', ({ path, links }) => {
  it('links to files that exist', () => {
    const missing = links.filter((link) => !existsSync(join(projectRoot, dirname(path), link)))
    expect(missing).toEqual([])
  })
})

describe.skipIf(findProgram('curl') === null)('the commands of pages (skipped without curl)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-readme-'))
  const work = join(folder, 'work')
  let program: RunningProgram
  let ports: { http: number; debug: number; own: number; operator: number }

  beforeAll(async () => {
    ports = {
      http: await freePort(),
      debug: await freePort(),
      own: await freePort(),
      operator: await freePort(),
    }
    mkdirSync(work)
    // As in a clone of the project, with what the commands write kept out of it.
    for (const name of ['bin', 'examples']) symlinkSync(join(projectRoot, name), join(work, name))
    const flags = ['--port', `${ports.http}`, '--debug-port', `${ports.debug}`, '--persist', folder]
    const none = ['--grpc-port', '0', '--node-port', `${await freePort()}`]
    const operator = ['--admin-port', `${ports.operator}`]
    // From another folder than the project's, as a user may.
    program = startSluice([...flags, ...none, ...operator], {}, work)
    await greeting(program)
  })
  afterAll(async () => {
    await program.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it('are several on each page', () => {
    expect(pages.filter(({ commands }) => commands.length < 2).map(({ path }) => path)).toEqual([])
  })

  it.each(pages.flatMap(({ commands }) => commands))('$path: $command', ({ command, form, printed }) => {
    // A status that is shown is checked by what is printed.
    const failing = command.includes('%{http_code}') ? 'curl -sS' : 'curl -sS --fail-with-body'
    const local = command
      .replaceAll('127.0.0.1:8080', `127.0.0.1:${ports.http}`)
      .replaceAll('127.0.0.1:6070', `127.0.0.1:${ports.debug}`)
      .replaceAll('127.0.0.1:8485', `127.0.0.1:${ports.operator}`)
      .replaceAll('9000', `${ports.own}`)
      .replaceAll('curl -s', failing)
    const secrets = JSON.parse(readFileSync(join(folder, 'secrets.json'), 'utf8'))
    const { status, stdout, stderr } = spawnSync('bash', ['-e', '-c', local], {
      cwd: work,
      env: { ...process.env, ...secrets },
      encoding: 'utf8',
      timeout: 200_000,
    })
    expect(status, `${stdout}${stderr}`).toBe(0)
    if (printed !== undefined && form === 'json') expectShown(stdout, printed)
    else if (printed !== undefined) expect(stdout).toBe(printed)
    else if (!command.includes(' -o ')) expect(stdout.length).toBeGreaterThan(10)
    // An answer without rows shows nothing, and an error of JSON-RPC has the status 200.
    expect(stdout).not.toMatch(/"result":(\[\]|null)|"error":/)
    for (const [, name = ''] of command.matchAll(/ -o ([\w.]+)/g))
      expect(statSync(join(work, name)).size, name).toBeGreaterThan(1_000)
  })
})
