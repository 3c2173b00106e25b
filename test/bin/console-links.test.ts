/** Links of a start that runs: who can ask for one, and what the command says when there is none. */

import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { projectRoot } from '#bin/project.ts'
import { askConsoleLink, serveConsoleLinks } from '#bin/start/console-links.ts'
import { makeFolder } from '../support/folder.ts'

const folder = makeFolder()

function stateFolder(name: string): string {
  const path = join(folder, name)
  mkdirSync(path, { recursive: true, mode: 0o700 })
  writeFileSync(join(path, 'secrets.json'), '{}', { mode: 0o600 })
  return path
}

/** Asks as another user of the machine; only root can become one. */
async function askAsOther(path: string): Promise<string> {
  process.seteuid?.(65_534)
  try {
    return await askConsoleLink(path)
  } finally {
    process.seteuid?.(0)
  }
}

describe('serveConsoleLinks()', () => {
  it('gives each connection another link, in a folder of any length, and leaves nothing behind', async () => {
    const path = stateFolder(`${'long/'.repeat(30)}state`)
    let count = 0
    const links = await serveConsoleLinks(path, () => `http://localhost/console#signin=${count++}`)
    expect(await askConsoleLink(path)).toBe('http://localhost/console#signin=0')
    expect(await askConsoleLink(path)).toBe('http://localhost/console#signin=1')
    links.close()
    expect(readdirSync(path)).toEqual(['secrets.json'])
  })

  it('takes the place of a start that was killed', async () => {
    const path = stateFolder('killed')
    await serveConsoleLinks(path, () => 'http://localhost/dead')
    const links = await serveConsoleLinks(path, () => 'http://localhost/new')
    expect(await askConsoleLink(path)).toBe('http://localhost/new')
    links.close()
  })

  it.skipIf(process.getuid?.() !== 0)('refuses another user, by the folder and by the socket', async () => {
    const path = stateFolder('private')
    const links = await serveConsoleLinks(path, () => 'http://localhost/console')
    expect(statSync(join(path, 'console.sock')).mode & 0o777).toBe(0o600)
    chmodSync(folder, 0o755)
    const refusal = `Cannot make a link: ${path} belongs to another user (EACCES), expected to be run by the user of the start`
    await expect(askAsOther(path)).rejects.toThrow(refusal)
    chmodSync(path, 0o755)
    await expect(askAsOther(path)).rejects.toThrow(refusal)
    links.close()
  })
})

describe('sluice console', () => {
  const run = (persist: string) => {
    const command = [join(projectRoot, 'bin/sluice.mjs'), 'console', '--persist', persist]
    const { stdout, stderr, status } = spawnSync(process.execPath, command, { encoding: 'utf8' })
    return { stdout, stderr, status }
  }

  it.each([
    ['missing', () => join(folder, 'missing'), /is not the state folder of a start, expected it in --persist/],
    ['a file', () => join(stateFolder('file'), 'secrets.json'), /is not the state folder of a start/],
    ['without a start', () => stateFolder('idle'), /no start runs on \S+, expected "sluice start" to run/],
  ])('says what is wrong with a folder that is %s', (_, path, message) => {
    const { stdout, stderr, status } = run(path())
    expect([stdout, status]).toEqual(['', 1])
    expect(stderr).toMatch(message)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })
})
