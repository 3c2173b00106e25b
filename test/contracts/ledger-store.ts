/** The contract of every `LedgerStore`, in memory and in tables. */

import { expect, test } from 'vitest'
import { countPart, int8Part, joinKey, keysUnder } from '#devnode/keys.ts'
import { createOverlay } from '#devnode/overlay.ts'
import type { LedgerStore } from '#devnode/ports.ts'

/** Runs a body against an empty store; the implementation decides where it lives. */
export type WithStore = (body: (store: LedgerStore) => void) => Promise<void> | void

/** Declares the contract's tests for one implementation. */
export function ledgerStoreContract(name: string, withStore: WithStore): void {
  const check = (claim: string, body: (store: LedgerStore) => void) =>
    test(`${name}: ${claim}`, async () => {
      await withStore(body)
    })

  check('get() gives what put() stored last, and undefined otherwise', (store) => {
    store.put('a', '1')
    store.put('a', '2')
    expect(store.get('a')).toBe('2')
    expect(store.get('b')).toBeUndefined()
  })

  check('delete() forgets an entry, and one that is not there', (store) => {
    store.put('a', '1')
    store.delete('a')
    store.delete('never')
    expect(store.get('a')).toBeUndefined()
    expect([...store.list({ start: '', end: '~' })]).toEqual([])
  })

  check('list() gives a range in key order, its start included and its end not', (store) => {
    for (const key of ['d', 'a', 'c', 'b']) store.put(key, key.toUpperCase())
    expect([...store.list({ start: 'b', end: 'd' })]).toEqual([
      ['b', 'B'],
      ['c', 'C'],
    ])
  })

  check('list() gives a range backwards', (store) => {
    for (const key of ['a', 'b', 'c']) store.put(key, key)
    expect([...store.list({ start: 'a', end: 'c', isReverse: true })].map(([key]) => key)).toEqual(['b', 'a'])
  })

  check('list() may be left early and the store written to afterwards', (store) => {
    for (const key of ['a', 'b', 'c']) store.put(key, key)
    for (const [key] of store.list({ start: 'a', end: 'z' })) {
      if (key === 'a') break
    }
    store.put('b', 'changed')
    expect(store.get('b')).toBe('changed')
  })

  check('list() of keysUnder() gives the keys below those parts alone', (store) => {
    for (const key of ['event', 'event/1', 'event/1/x', 'event/10', 'event-ref/1', 'events/1']) store.put(key, '')
    expect([...store.list(keysUnder('event'))].map(([key]) => key)).toEqual(['event/1', 'event/1/x', 'event/10'])
    expect([...store.list(keysUnder('event', '1'))].map(([key]) => key)).toEqual(['event/1/x'])
  })

  check('keys of int8 and count parts sort as the numbers do', (store) => {
    const times = [-(2n ** 63n), -5n, 0n, 7n, 2n ** 53n + 1n, 2n ** 63n - 1n]
    const keys = times.flatMap((time) => [1, 2 ** 40].map((height) => joinKey(int8Part(time), countPart(height))))
    for (const key of [...keys].reverse()) store.put(key, '')
    expect([...store.list({ start: '', end: '~' })].map(([key]) => key)).toEqual(keys)
  })

  check('keeps empty values, long values and text beyond ASCII', (store) => {
    const long = 'ü'.repeat(100_000)
    store.put('empty', '')
    store.put('long', long)
    store.put('emoji', '🜲\n"')
    expect(store.get('empty')).toBe('')
    expect(store.get('long')).toBe(long)
    expect(store.get('emoji')).toBe('🜲\n"')
  })

  check('createOverlay() over it shows its writes, commits them together or lets them vanish', (store) => {
    for (const key of ['a', 'b', 'd']) store.put(key, 'below')
    const overlay = createOverlay(store)
    overlay.put('b', 'above')
    overlay.put('c', 'above')
    overlay.delete('d')
    const seen = [
      ['a', 'below'],
      ['b', 'above'],
      ['c', 'above'],
    ]
    expect([...overlay.list({ start: '', end: '~' })]).toEqual(seen)
    expect([...overlay.list({ start: '', end: '~', isReverse: true })]).toEqual([...seen].reverse())
    expect(store.get('c')).toBeUndefined()
    overlay.commit()
    expect([...store.list({ start: '', end: '~' })]).toEqual(seen)
  })
}
