/** The temporary folder of a start: nothing of a start is left, however it ends. */

import { existsSync, mkdirSync, mkdtempSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openPassingFolder, removeLeftFolders } from '#bin/start/passing-folder.ts'
import { makeFolder } from '../support/folder.ts'
import { freePort } from '../support/process.ts'
import { greeting, onlyPort, startSluice } from '../support/start.ts'

const parent = makeFolder()

describe('openPassingFolder()', () => {
  it('gives this process a separate temporary folder until it is removed', async () => {
    const before = tmpdir()
    const folder = await openPassingFolder(parent)
    expect([tmpdir(), statSync(folder.path).mode & 0o777]).toEqual([folder.path, 0o700])
    folder.remove()
    expect([tmpdir(), existsSync(folder.path)]).toEqual([before, false])
  })
})

describe('removeLeftFolders()', () => {
  it('leaves folders of processes that run, and folders that no start made', async () => {
    const running = await openPassingFolder(parent)
    const other = join(parent, 'sluice-other')
    mkdirSync(join(parent, 'sluice-run-making'))
    mkdirSync(other)
    writeFileSync(join(parent, 'sluice-run-afile0'), '')
    symlinkSync(other, join(parent, 'sluice-run-alink0'))
    const before = readdirSync(parent)
    await removeLeftFolders(parent)
    expect(readdirSync(parent)).toEqual(before)
    running.remove()
  })

  it('does nothing in a temporary folder that it cannot list', async () => {
    await expect(removeLeftFolders(join(parent, 'none'))).resolves.toBeUndefined()
  })
})

describe('npm start', () => {
  it('leaves nothing in the temporary folder when it ends, and removes what a killed start left', async () => {
    const temporary = mkdtempSync(join(parent, 't-'))
    const persist = mkdtempSync(join(parent, 's-'))
    const start = async () => {
      const program = startSluice(['--persist', persist, ...onlyPort(await freePort())], { TMPDIR: temporary })
      await greeting(program)
      return program
    }
    const killed = await start()
    const left = readdirSync(temporary)
    expect(left).toEqual([expect.stringMatching(/^sluice-run-\w{6}$/)])
    await killed.stop('SIGKILL')
    const next = await start()
    await expect.poll(() => readdirSync(temporary)).not.toContain(left[0])
    await next.stop()
    expect(readdirSync(temporary)).toEqual([])
  })
})
