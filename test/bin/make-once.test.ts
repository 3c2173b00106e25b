/** `bin/run/make-once.mjs`: when a step of a build runs again. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { bundleInputs, makeOnce } from '#bin/run/make-once.mjs'

let folder: string
let runs = 0
const at = (name: string) => join(folder, name)
/** Copies `source` to `made`; reads `missing` too, which is not there at first. */
async function copy() {
  runs++
  writeFileSync(at('made'), readFileSync(at('source')))
  return { inputs: [at('source'), at('missing')], outputs: [at('made')] }
}
const make = (key = 'key') => makeOnce(at('deep/note.json'), key, copy)
/** Writes the source, and lets the clock pass what a step would take for a change during its run. */
async function source(text: string): Promise<void> {
  writeFileSync(at('source'), text)
  await expect.poll(() => Date.now()).toBeGreaterThan(statSync(at('source')).ctimeMs + 30)
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-make-'))
  await source('one')
  runs = 0
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('makeOnce()', () => {
  it('makes nothing while contents and key are the same, at any times of the files', async () => {
    expect(await make()).toBe(true)
    utimesSync(at('source'), 1_000_000_000, 1_000_000_000)
    expect(await make()).toBe(false)
    expect(runs).toBe(1)
  })

  it.each<[string, () => unknown]>([
    ['another source', () => source('two')],
    ['a source that is gone', () => rmSync(at('missing'), { force: true })],
    ['a file that was missing', () => writeFileSync(at('missing'), '')],
    ['an output that is gone', () => rmSync(at('made'))],
    ['half an output', () => writeFileSync(at('made'), 'on')],
    ['half a note', () => writeFileSync(at('deep/note.json'), '{"key":"key","files":{')],
    ['a note without files', () => writeFileSync(at('deep/note.json'), '{"key":"key","files":{}}')],
    ['a note of another form', () => writeFileSync(at('deep/note.json'), '{"key":"key"}')],
  ])('makes again after %s', async (name, change) => {
    if (name === 'a source that is gone') writeFileSync(at('missing'), '')
    await source('one')
    await make()
    await change()
    expect(await make()).toBe(true)
    expect(readFileSync(at('made'), 'utf8')).toBe(readFileSync(at('source'), 'utf8'))
  })

  it('makes again for another key', async () => {
    await make()
    expect(await make('other')).toBe(true)
    expect(await make('other')).toBe(false)
  })

  it('notes nothing when a source changes while it is read', async () => {
    const slow = async () => {
      const files = await copy()
      writeFileSync(at('source'), 'changed')
      return files
    }
    await makeOnce(at('deep/note.json'), 'key', slow)
    expect(await make()).toBe(true)
    expect(readFileSync(at('made'), 'utf8')).toBe('changed')
  })

  it('keeps the last note of a step that fails', async () => {
    await make()
    const failing = async () => {
      throw new Error('no')
    }
    await expect(makeOnce(at('deep/note.json'), 'other', failing)).rejects.toThrow('no')
    expect(await make()).toBe(false)
  })
})

describe('bundleInputs()', () => {
  it('has the settings of the compiler and the list of installed packages beside the sources', () => {
    mkdirSync(at('src'))
    expect(bundleInputs('/project', { inputs: { 'src/a.ts': {}, 'src/deep/b.ts': {} } })).toEqual([
      '/project/src/a.ts',
      '/project/src/deep/b.ts',
      '/project/tsconfig.json',
      '/project/src/tsconfig.json',
      '/project/node_modules/.package-lock.json',
    ])
  })
})
