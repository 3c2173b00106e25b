/** docs/tour.md: every command of it, in its order, against `npm start` with the settings that it names. */

import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { projectRoot } from '../../bin/project.ts'
import { findProgram, freePort, type RunningProgram } from '../support/process.ts'
import { greeting, startSluice } from '../support/start.ts'

const page = readFileSync(join(projectRoot, 'docs/tour.md'), 'utf8')
const commands = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map((match) => match[1]?.trim() ?? '')
/** The settings before `npm start`, as the page has them. */
const started = /^\$ ((?:\w+=\S+ )+)npm start$/m.exec(page)?.[1] ?? ''
const settings = Object.fromEntries(
  started
    .trim()
    .split(' ')
    .map((pair) => pair.split('=')),
)

describe.skipIf(findProgram('curl') === null)('the tour (skipped without curl)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-tour-'))
  const work = join(folder, 'work')
  let program: RunningProgram
  let port: number

  beforeAll(async () => {
    port = await freePort()
    mkdirSync(work)
    const ports = [
      '--port',
      `${port}`,
      '--debug-port',
      '0',
      '--grpc-port',
      '0',
      '--node-port',
      '0',
      '--admin-port',
      '0',
    ]
    program = startSluice(['--persist', folder, ...ports], settings, work)
    await greeting(program)
  })
  afterAll(async () => {
    await program?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it('names the two settings that it needs', () => {
    expect(settings).toEqual({ GATE_ENABLED: 'true', GRID_TELEMETRY_SECONDS: '2' })
    expect(commands.length).toBeGreaterThan(8)
  })

  it.each(commands)('%s', async (command) => {
    const local = command.replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`)
    const secrets = JSON.parse(readFileSync(join(folder, 'secrets.json'), 'utf8'))
    const child = spawn('bash', ['-e', '-o', 'pipefail', '-c', local], {
      cwd: work,
      env: { ...process.env, ...secrets },
    })
    const printed: string[] = []
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => printed.push(String(chunk)))
    const status = await new Promise((resolve) => child.once('close', resolve))
    expect(status, `${printed.join('')}\n${program.output().slice(-2000)}`).toBe(0)
    expect(printed.join('').length).toBeGreaterThan(10)
    // A refusal in the middle of the tour is a mistake of the page; that of the gate is what it shows.
    if (!command.includes('guess')) expect(printed.join('')).not.toMatch(/"status":4\d\d|"error"/)
  })
})
