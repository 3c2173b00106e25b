/** The secrets of a state folder: files that cannot be used are named, and nothing of them is shown. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { loadSecrets } from '#bin/start/secrets.ts'
import { makeFolder } from '../support/folder.ts'

function messageOf(act: () => unknown): string {
  try {
    act()
    return ''
  } catch (error) {
    return String(error)
  }
}

describe('loadSecrets()', () => {
  it.each(['{"ADMIN_TOKEN":"secret-of-a-person', 'null', '["secret-of-a-person"]', '{"ADMIN_TOKEN":5}'])(
    'names a file that it cannot read, and shows nothing of it: %s',
    (text) => {
      const folder = makeFolder(onTestFinished)
      writeFileSync(join(folder, 'secrets.json'), text)
      const message = messageOf(() => loadSecrets(folder))
      expect(message).toContain(`${join(folder, 'secrets.json')} is not a JSON object of texts`)
      expect(message).not.toContain('secret-of')
    },
  )
})

describe('loadSecrets(), of a file that a person wrote', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-secrets-'))
  const file = join(folder, 'secrets.json')
  afterEach(() => rmSync(file, { recursive: true }))
  afterAll(() => rmSync(folder, { recursive: true }))

  it('names a folder of that name', () => {
    mkdirSync(file)
    expect(messageOf(() => loadSecrets(folder))).toBe(
      `Error: Cannot read secrets: ${file} is not readable (EISDIR), expected a file of this user`,
    )
  })

  it.each(['', 'x', 'fifteen-charact', 'with spaces in the token'])('refuses the token "%s"', (token) => {
    writeFileSync(file, JSON.stringify({ GRID_TOKEN: token }))
    const message = messageOf(() => loadSecrets(folder))
    expect(message).toContain(`Cannot use secrets of ${file}: GRID_TOKEN can be guessed`)
    expect(readFileSync(file, 'utf8')).toBe(JSON.stringify({ GRID_TOKEN: token }))
  })

  it('refuses a private key that is not one, without showing it', () => {
    writeFileSync(file, '{"STREAMNET_PRIVATE_KEY":"abc123"}')
    const message = messageOf(() => loadSecrets(folder))
    expect(message).toContain('STREAMNET_PRIVATE_KEY is not a private key, expected 64 hex digits')
    expect(message).not.toContain('abc123')
  })
})
