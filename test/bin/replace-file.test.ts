/** Files that are replaced in one step: what a reader sees meanwhile, permissions, and failures. */

import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { replaceFile } from '#bin/run/replace-file.mjs'
import { makeFolder } from '../support/folder.ts'
import { once } from '../support/wait.ts'

const folder = makeFolder()

/** Reads a file over and over and prints every length that it has seen, until its input ends. */
const reader = `
  const { readFileSync } = require('node:fs')
  const seen = new Set()
  let isOver = false
  process.stdin.on('end', () => { isOver = true }).resume()
  const look = () => {
    for (let n = 0; n < 50; n++) seen.add(readFileSync(process.argv[1], 'utf8').length)
    if (!isOver) return setImmediate(look)
    console.log(JSON.stringify([...seen]))
  }
  console.log('ready')
  look()
`

describe('replaceFile()', () => {
  it('shows a reader in another process the old text or the new one, never a part', async () => {
    const path = join(folder, 'read.json')
    const texts = ['a'.repeat(10), 'b'.repeat(300_000)]
    replaceFile(path, texts[0] ?? '')
    const child = spawn(process.execPath, ['-e', reader, path], { stdio: ['pipe', 'pipe', 'inherit'] })
    const output: string[] = []
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => output.push(chunk))
    await once(child.stdout, 'data')
    for (let round = 0; round < 200; round++) replaceFile(path, texts[round % 2] ?? '')
    child.stdin.end()
    await once(child, 'close', () => output.join(''))
    const seen: number[] = JSON.parse(output.join('').split('\n')[1] ?? '[]')
    expect(seen.length).toBeGreaterThan(0)
    expect(seen.filter((length) => length !== 10 && length !== 300_000)).toEqual([])
  })

  it('gives the new file the permissions of the call, not those of the old one', () => {
    const path = join(folder, 'secret')
    writeFileSync(path, 'open', { mode: 0o666 })
    replaceFile(path, 'closed', { mode: 0o600 })
    expect([statSync(path).mode & 0o777, readFileSync(path, 'utf8')]).toEqual([0o600, 'closed'])
  })

  it('leaves nothing behind, also when the file cannot be put in place', () => {
    const blocked = mkdtempSync(join(folder, 'blocked-'))
    expect(() => replaceFile(blocked, 'a folder is in the way')).toThrow(/EISDIR|ENOTEMPTY|EEXIST|EPERM/)
    expect(() => replaceFile(join(folder, 'missing/file'), 'text')).toThrow('ENOENT')
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([])
  })
})
