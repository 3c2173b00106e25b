/** The lock of a state folder: one holder, who is named to others. */

import { mkdirSync, mkdtempSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { LockedError, lockFolder } from '#bin/start/lock.ts'
import { makeFolder } from '../support/folder.ts'

const folder = makeFolder()

describe('lockFolder()', () => {
  it('refuses a folder that is held, names the holder, and takes it once it is released', async () => {
    const held = mkdtempSync(join(folder, 'held-'))
    const lock = await lockFolder(held, ['127.0.0.1:8080', '127.0.0.1:8081'])
    await expect(lockFolder(held)).rejects.toThrow(
      `Cannot start: the state folder ${held} is in use by process ${process.pid}, which answers on http://127.0.0.1:8080, its tokens are in ${held}/secrets.json; use that one, end it first (kill ${process.pid}), or choose another folder and other ports`,
    )
    lock?.release()
    const again = await lockFolder(held)
    await expect(lockFolder(held)).rejects.toThrow(LockedError)
    again?.release()
    expect(readdirSync(held)).toEqual(['lock-2.sock'])
  })

  it('lets exactly one of many win that come at the same moment, over a stale lock as well', async () => {
    const wanted = mkdtempSync(join(folder, 'wanted-'))
    for (let round = 0; round < 20; round++) {
      const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => lockFolder(wanted)))
      const won = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
      expect(won).toHaveLength(1)
      for (const outcome of outcomes)
        if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(LockedError)
      won[0]?.release()
    }
  })

  it('locks a folder whose path is longer than the address of a UNIX socket', async () => {
    const long = join(folder, 'd'.repeat(200))
    mkdirSync(long)
    const lock = await lockFolder(long)
    await expect(lockFolder(long)).rejects.toThrow(LockedError)
    lock?.release()
  })
})
