/** docs/tour.md: its blocks in their order and in one shell, against `npm start` with the settings that it names. */

import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { projectRoot } from '#bin/project.ts'
import { makeFolder } from '../support/folder.ts'
import { findProgram, freePort, type RunningProgram } from '../support/process.ts'
import { type Shell, startShell } from '../support/shell.ts'
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
  const folder = makeFolder()
  const work = join(folder, 'work')
  let program: RunningProgram
  let shell: Shell
  let places: readonly (readonly [string, string])[]

  beforeAll(async () => {
    const [port, operator] = [await freePort(), await freePort()]
    places = [
      ['127.0.0.1:8080', `127.0.0.1:${port}`],
      ['127.0.0.1:8485', `127.0.0.1:${operator}`],
    ]
    mkdirSync(work)
    const quiet = ['--debug-port', '0', '--grpc-port', '0', '--node-port', `${await freePort()}`]
    const ports = ['--port', `${port}`, '--admin-port', `${operator}`, ...quiet]
    program = startSluice(['--persist', folder, ...ports], settings, work)
    await greeting(program)
    shell = startShell(work, JSON.parse(readFileSync(join(folder, 'secrets.json'), 'utf8')))
  })
  afterAll(async () => {
    await shell?.stop()
    await program?.stop()
  })

  it('names the setting that it needs', () => {
    expect(settings).toEqual({ GATE_ENABLED: 'true' })
    expect(commands.length).toBeGreaterThan(8)
  })

  it.each(commands)('%s', async (command) => {
    const local = places.reduce((text, [shown, real]) => text.replaceAll(shown, real), command)
    const printed = await shell.run(local).catch((error: Error) => {
      throw new Error(`${error.message}\n${program.output().slice(-2000)}`)
    })
    expect(printed.length).toBeGreaterThan(1)
    // A refusal in the middle of the tour is a mistake of the page; that of the gate is what it shows.
    if (!command.includes('guess')) expect(printed).not.toMatch(/"status":4\d\d|"error"/)
  })
})
