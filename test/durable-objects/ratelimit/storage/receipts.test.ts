/** Receipts in the storage of an object: the latest calls are known after a restart, and their number is bounded. */

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import { openReceipts } from '#objects/ratelimit/storage/receipts.ts'

// The pool gives the bindings of wrangler.toml, which are these.
const { COUNTER } = env as unknown as RatelimitEnv

let made = 0
/** Runs a test with the empty storage of a new object. */
function withStorage(run: (storage: DurableObjectStorage) => void | Promise<void>): Promise<void> {
  made += 1
  return runInDurableObject(COUNTER.getByName(`receipts test ${made}`), (_, { storage }) => run(storage))
}

const capacity = 128
const keptKeys = ({ kv }: DurableObjectStorage) => [...kv.list({ prefix: 'receipts:' })].length

test('find() knows the latest 128 calls, and after a restart those that were written (property)', async () => {
  await withStorage((storage) => {
    const moves = fc.array(fc.constantFrom('keep', 'write', 'reopen'), { maxLength: 300 })
    fc.assert(
      fc.property(moves, (steps) => {
        for (const [key] of storage.kv.list()) storage.kv.delete(key)
        let receipts = openReceipts(storage)
        let next = 1
        let written = 0
        let known: number[] = []
        for (const step of steps) {
          if (step === 'keep') {
            receipts.keep({ id: next, answer: [next, 60] })
            known = [...known, next].slice(-capacity)
            next += 1
          } else if (step === 'write') {
            receipts.write()
            written = next - 1
          } else {
            receipts = openReceipts(storage)
            known = known.filter((id) => id <= written)
          }
          const latest = known.at(-1)
          if (latest !== undefined) expect(receipts.find(latest)).toEqual([latest, 60])
          expect(receipts.find(next)).toBeUndefined()
        }
        for (const id of known) expect(receipts.find(id)).toEqual([id, 60])
        for (let id = written + 1; id < next; id++) {
          if (!known.includes(id)) expect(receipts.find(id)).toBeUndefined()
        }
      }),
      { seed: 2, numRuns: 60 },
    )
  })
})

test('keep() forgets the oldest call when it takes the 129th', async () => {
  await withStorage((storage) => {
    const receipts = openReceipts(storage)
    for (let id = 1; id <= capacity + 1; id++) receipts.keep({ id, answer: [id] })
    expect([receipts.find(1), receipts.find(2), receipts.find(129)]).toEqual([undefined, [2], [129]])
  })
})

test('write() keeps 128 batches on disk, and a restart reads them in the order in which they were written', async () => {
  await withStorage((storage) => {
    const receipts = openReceipts(storage)
    for (let id = 1; id <= 300; id++) {
      receipts.keep({ id, answer: [id, id, id] })
      receipts.write()
    }
    expect(keptKeys(storage)).toBe(capacity)
    const reopened = openReceipts(storage)
    expect([reopened.find(172), reopened.find(173), reopened.find(300)]).toEqual([
      undefined,
      [173, 173, 173],
      [300, 300, 300],
    ])
    // The next commits go on with the numbers, or a restart would take them for older than they are.
    for (let id = 301; id <= 310; id++) {
      reopened.keep({ id, answer: [] })
      reopened.write()
    }
    const batches = [...storage.kv.list<Float64Array>({ prefix: 'receipts:' })].map(([, batch]) => [...batch])
    // What is on disk already is not written again.
    expect(batches.find(([commit]) => commit === 301)).toEqual([301, 301, 0])
    expect([openReceipts(storage).find(310), openReceipts(storage).find(182)]).toEqual([[], undefined])
  })
})

test('clear() forgets every call', async () => {
  await withStorage((storage) => {
    const receipts = openReceipts(storage)
    receipts.keep({ id: 7, answer: [1] })
    receipts.clear()
    expect(receipts.find(7)).toBeUndefined()
    receipts.keep({ id: 8, answer: [2] })
    expect(receipts.find(8)).toEqual([2])
  })
})
