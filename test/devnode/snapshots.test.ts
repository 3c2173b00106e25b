/** Snapshots: the entries that each brings back, with and without an older one. */

import { describe, expect, it } from 'vitest'
import { createMemoryStore } from '#devnode/memory/store.ts'
import { isSnapshotKey, revertSnapshot, takeSnapshot, withJournals } from '#devnode/snapshots.ts'

const open = () =>
  withJournals(
    createMemoryStore([
      ['kept', ''],
      ['old', '=1'],
    ]),
  )
const entries = (store: ReturnType<typeof open>) =>
  [...store.list({ start: '', end: '~' })].filter(([key]) => !isSnapshotKey(key))

describe('revertSnapshot()', () => {
  it('brings back changed, removed and empty values, and removes new keys', () => {
    const store = open()
    const before = entries(store)
    const id = takeSnapshot(store)
    store.put('old', '2')
    store.put('old', '3')
    store.delete('kept')
    store.put('new', '4')
    expect(revertSnapshot(store, id)).toBe(true)
    expect(entries(store)).toEqual(before)
    expect(revertSnapshot(store, id)).toBe(false)
  })

  it('leaves to an older snapshot the value that it saw', () => {
    const store = open()
    const before = entries(store)
    const first = takeSnapshot(store)
    store.put('old', '2')
    const second = takeSnapshot(store)
    store.put('old', '3')
    store.put('new', '4')
    revertSnapshot(store, second)
    expect(entries(store)).toEqual([
      ['kept', ''],
      ['old', '2'],
    ])
    store.put('new', '5')
    revertSnapshot(store, first)
    expect(entries(store)).toEqual(before)
  })

  it('takes back a later snapshot with an earlier one', () => {
    const store = open()
    const before = entries(store)
    const first = takeSnapshot(store)
    store.put('old', '2')
    takeSnapshot(store)
    store.delete('old')
    revertSnapshot(store, first)
    expect([...store.list({ start: '', end: '~' })].map(([key]) => key)).toEqual(['kept', 'old', 'snapshot-next'])
    expect(entries(store)).toEqual(before)
  })
})
