/** Commits that are shared: what had changed before a call is durable when the call ends, in few trips to the disk. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { groupCommit } from '#objects/ratelimit/storage/group-commit.ts'

/** Steps that do as a test says; `steps` lists what was called. */
function scripted() {
  const steps: string[] = []
  const ends: boolean[] = []
  const syncs: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = []
  const { commit, running } = groupCommit({
    write: () => void steps.push('write'),
    sync: () => {
      steps.push('sync')
      return new Promise<void>((resolve, reject) => syncs.push({ resolve, reject }))
    },
    end: (isDurable) => void ends.push(isDurable),
    gather: async () => void steps.push('gather'),
  })
  return { steps, ends, syncs, commit, running }
}

/** Lets so many turns of other work pass. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await null
}

test('a commit that ends has written what had changed before its call (property)', async () => {
  const waits = fc.array(fc.nat(30), { minLength: 1, maxLength: 40 })
  await fc.assert(
    fc.asyncProperty(waits, fc.nat(9), async (callers, syncTurns) => {
      let changed = 0
      let written = 0
      let durable = 0
      let commits = 0
      const { commit } = groupCommit({
        write() {
          written = changed
          commits += 1
        },
        async sync() {
          const syncing = written
          await turns(syncTurns)
          durable = syncing
        },
        end: () => {},
        gather: () => turns(3),
      })
      const calls = callers.map(async (wait) => {
        await turns(wait)
        changed += 1
        const mine = changed
        await commit()
        expect(durable).toBeGreaterThanOrEqual(mine)
      })
      await Promise.all(calls)
      expect(commits).toBeLessThanOrEqual(callers.length)
    }),
    { seed: 3 },
  )
})

test('the first caller writes at once, and those that come meanwhile share the next write', async () => {
  const { steps, syncs, commit } = scripted()
  const first = commit()
  expect(steps).toEqual(['write', 'sync'])
  const others = [commit(), commit(), commit()]
  syncs[0]?.resolve()
  await first
  await expect.poll(() => steps).toEqual(['write', 'sync', 'write', 'sync'])
  syncs[1]?.resolve()
  await Promise.all(others)
  expect(steps.length).toBe(4)
})

test('a commit that fails rejects those that share it and no other', async () => {
  const { syncs, commit } = scripted()
  const first = commit()
  const second = commit()
  syncs[0]?.reject(new Error('the disk is full'))
  await expect(first).rejects.toThrow('the disk is full')
  await expect.poll(() => syncs.length).toBe(2)
  syncs[1]?.resolve()
  await second
  const third = commit()
  await expect.poll(() => syncs.length).toBe(3)
  syncs[2]?.resolve()
  await third
})

test('a write that throws rejects its callers, and the next call writes again', async () => {
  let isFull = true
  const { commit } = groupCommit({
    write() {
      if (isFull) throw new Error('the disk is full')
    },
    sync: async () => {},
    end: () => {},
    gather: async () => {},
  })
  await expect(commit()).rejects.toThrow('the disk is full')
  isFull = false
  await commit()
})

test('after a commit that eight shared the next one waits for more callers', async () => {
  const { steps, syncs, commit } = scripted()
  const first = commit()
  const crowd = Array.from({ length: 8 }, () => commit())
  syncs[0]?.resolve()
  await first
  await expect.poll(() => syncs.length).toBe(2)
  const late = commit()
  syncs[1]?.resolve()
  await Promise.all(crowd)
  await expect.poll(() => syncs.length).toBe(3)
  expect(steps.slice(4)).toEqual(['gather', 'write', 'sync'])
  syncs[2]?.resolve()
  await late
  const last = commit()
  syncs[3]?.resolve()
  await last
  expect(steps.slice(7)).toEqual(['write', 'sync'])
})

test('running() is the commit that is written and not durable yet, and ends before its callers go on', async () => {
  const { syncs, ends, commit, running } = scripted()
  expect(running()).toBeUndefined()
  const first = commit()
  expect(running()).toBe(first)
  const second = commit()
  expect(running()).toBe(first)
  const afterFirst = first.catch(() => [...ends, running() === second])
  syncs[0]?.reject(new Error('the disk is full'))
  expect(await afterFirst).toEqual([false, true])
  syncs[1]?.resolve()
  await second
  expect([ends, running()]).toEqual([[false, true], undefined])
})
