/** The commands of a page, as a newcomer copies them, and one run of a command. */

import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { projectRoot } from '#bin/project.ts'
import { expectShown } from './page-examples.ts'
import { freePort, type RunningProgram } from './process.ts'
import { greeting } from './start.ts'

/** A block of commands. */
export interface PageCommand {
  readonly path: string
  readonly command: string
  /** The kind of the block right behind it, which is what it prints. */
  readonly form: string | undefined
  readonly printed: string | undefined
}

/** README and the task pages, in this order: one that loads other rules comes after those that need the first. */
export const taskPages: readonly string[] = [
  'README.md',
  ...readdirSync(join(projectRoot, 'docs/tasks')).map((name) => `docs/tasks/${name}`),
]

/** Reads the blocks of commands of a page. */
export function readCommands(path: string): readonly PageCommand[] {
  // A block in a list is indented with it.
  const blocks = readFileSync(join(projectRoot, path), 'utf8').matchAll(
    /^( *)```sh\n([\s\S]*?)^ *```\n(?:\n```(text|json)\n([\s\S]*?)^```)?/gm,
  )
  return [...blocks].map(([, indent = '', body = '', form, printed]) => ({
    path,
    form,
    command: body.replaceAll(new RegExp(`^${indent}`, 'gm'), '').trim(),
    printed,
  }))
}

/**
 * Ports of a start by those that the pages name (9000 is a server that a page starts), its secrets, and the folder in
 * which commands run.
 */
export interface CommandPlace {
  readonly ports: Readonly<Record<string, number>>
  readonly secrets: Readonly<Record<string, string>>
  readonly cwd: string
}

/** Starts what the pages expect, with the state in the folder that is given. */
export async function startForCommands(
  cwd: string,
  state: string,
  start: (flags: readonly string[]) => RunningProgram,
): Promise<{ readonly program: RunningProgram; readonly place: CommandPlace }> {
  const [http, debug, operator, own, node] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ]
  const flags = ['--port', `${http}`, '--debug-port', `${debug}`, '--admin-port', `${operator}`, '--persist', state]
  const program = start([...flags, '--grpc-port', '0', '--node-port', `${node}`])
  await greeting(program)
  const secrets = JSON.parse(readFileSync(join(state, 'secrets.json'), 'utf8'))
  return { program, place: { ports: { 8080: http, 6070: debug, 8484: node, 8485: operator, 9000: own }, secrets, cwd } }
}

/** Runs a block in a shell that ends at the first mistake, and expects what the page shows. */
export function expectCommand({ command, form, printed }: PageCommand, { ports, secrets, cwd }: CommandPlace): void {
  // A status that is shown is checked by what is printed.
  const failing = command.includes('%{http_code}') ? 'curl -sS' : 'curl -sS --fail-with-body'
  const local = Object.entries(ports)
    .reduce((text, [shown, real]) => text.replaceAll(shown, `${real}`), command)
    .replaceAll('curl -s', failing)
  const { status, stdout, stderr } = spawnSync('bash', ['-e', '-c', local], {
    cwd,
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
    expect(statSync(join(cwd, name)).size, name).toBeGreaterThan(1_000)
}
