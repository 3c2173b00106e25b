/** The ledger of a node: what a transaction changes, and what a failing one leaves. */

import { describe, expect, it } from 'vitest'
import { createMemoryStore } from '#devnode/memory/store.ts'
import { openLedger } from '#devnode/open-ledger.ts'
import type { LedgerStore } from '#devnode/ports.ts'
import { takeSnapshot } from '#devnode/snapshots.ts'

const all = { start: '', end: '~' }

/** A table whose transactions roll back, as the platform's do. */
function openTable() {
  const table = createMemoryStore()
  let refused = ''
  const guarded: LedgerStore = {
    ...table,
    put(key, value) {
      if (key === refused) throw new Error('the disk is full')
      table.put(key, value)
    },
  }
  const atomically = <T>(run: () => T): T => {
    const before = [...table.list(all)]
    try {
      return run()
    } catch (error) {
      for (const [key] of [...table.list(all)]) table.delete(key)
      for (const [key, value] of before) table.put(key, value)
      throw error
    }
  }
  const refuse = (key: string) => {
    refused = key
  }
  return { table, ledger: openLedger(guarded, atomically), refuse }
}

describe('openLedger()', () => {
  it('writes what a transaction changed when it ends, and counts it', () => {
    const { table, ledger } = openTable()
    const result = ledger.transact((store) => {
      store.put('a/b/c', '1')
      expect(table.get('a/b/c')).toBeUndefined()
      return store.get('a/b/c')
    })
    expect([result, table.get('a/b/c'), ledger.store.get('a/b/c'), ledger.writes()]).toEqual(['1', '1', '1', 1])
  })

  it('leaves nothing of work that throws, in the table or in a cache', () => {
    const { table, ledger, refuse } = openTable()
    ledger.transact((store) => store.put('a/b/c', '1'))
    for (let walk = 0; walk < 3; walk++) [...ledger.store.list({ start: 'a/b/', end: 'a/b0' })]
    refuse('a/b/d')
    const change = () =>
      ledger.transact((store) => {
        store.put('a/b/c', '2')
        store.put('a/b/d', '2')
      })
    expect(change).toThrow('the disk is full')
    expect([table.get('a/b/c'), ledger.store.get('a/b/c')]).toEqual(['1', '1'])
    expect([...ledger.store.list({ start: 'a/b/', end: 'a/b0' })]).toEqual([['a/b/c', '1']])
  })
})

it('openLedger() keeps no journal for a snapshot that was rolled back', () => {
  const { table, ledger, refuse } = openTable()
  refuse('z/1')
  const change = () =>
    ledger.transact((store) => {
      takeSnapshot(store)
      store.put('y/1', '1')
      store.put('z/1', '1')
    })
  expect(change).toThrow('the disk is full')
  ledger.transact((store) => store.put('y/1', '1'))
  expect([...table.list(all)]).toEqual([['y/1', '1']])
})
