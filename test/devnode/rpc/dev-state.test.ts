import { describe, expect, test } from 'vitest'
import { isSnapshotKey } from '#devnode/snapshots.ts'
import { numeric } from '#streamnet/codec/value.ts'
import { dumpState, keys, startTestNode, type TestNode } from '../../support/devnode.ts'

const streamId = `st${'a'.repeat(30)}`

test('dev.snapshot and dev.revert bring the whole ledger back, nested ones too', () => {
  const node = startTestNode()
  const start = dumpState(node)
  const first = node.rpc('dev.snapshot') as { snapshot: number }
  node.must(keys.owner, 'create_stream', streamId, 'primitive')
  const middle = dumpState(node)
  const second = node.rpc('dev.snapshot') as { snapshot: number }
  node.must(keys.owner, 'delete_stream', keys.owner.address, streamId)
  node.rpc('dev.revert', second)
  expect(dumpState(node)).toBe(middle)
  node.must(keys.owner, 'insert_record', keys.owner.address, streamId, 1, numeric('5'))
  node.rpc('dev.revert', first)
  expect(dumpState(node)).toBe(start)
  expect(() => node.rpc('dev.revert', second)).toThrow('does not exist')
})

test('dev.dumpState and dev.loadState bring a ledger to another node, and refuse what is not a dump', () => {
  const [from, to] = [startTestNode(), startTestNode()]
  from.must(keys.owner, 'create_stream', streamId, 'primitive')
  to.rpc('dev.loadState', from.rpc('dev.dumpState') as object)
  expect(dumpState(to)).toBe(dumpState(from))
  expect(to.view('stream_exists', [keys.owner.address, streamId])).toEqual([[true]])
  for (const state of [undefined, [], { head: 1 }, { 'bad key': 'x', head: '1' }]) {
    expect(() => to.rpc('dev.loadState', { state })).toThrow('-32602')
  }
})

test('dev.reset empties the ledger and begins again', () => {
  const node = startTestNode()
  const start = dumpState(node)
  node.must(keys.owner, 'create_stream', streamId, 'primitive')
  expect(node.rpc('dev.reset')).toMatchObject({ height: 1 })
  expect(dumpState(node)).toBe(start)
})

test('dev.snapshot takes a thousand snapshots at most, and more after dev.revert to one of them', () => {
  const node = startTestNode()
  for (let at = 1; at <= 1_000; at++) node.rpc('dev.snapshot')
  expect(() => node.rpc('dev.snapshot')).toThrow(/there are 1000 snapshots, expected dev.revert/)
  node.rpc('dev.revert', { snapshot: 500 })
  expect(node.rpc('dev.snapshot')).toEqual({ snapshot: 1_001 })
})

describe('journals of snapshots', () => {
  const snapshotKeys = (node: TestNode) =>
    [...node.store.list({ start: '', end: '~' })].map(([key]) => key).filter(isSnapshotKey)
  const balance = { bridge: 'hoodi_tt', wallet: keys.stranger.address, amount: '5' }

  test('are gone after dev.reset, so that the first snapshot after it brings nothing old back', () => {
    const node = startTestNode()
    node.rpc('dev.setBalance', balance)
    node.rpc('dev.snapshot')
    node.rpc('dev.reset')
    expect(snapshotKeys(node)).toEqual([])
    const start = dumpState(node)
    node.rpc('dev.revert', node.rpc('dev.snapshot') as object)
    expect(dumpState(node)).toBe(start)
  })

  test('go with their snapshots, also where a later snapshot saw the change', () => {
    const node = startTestNode()
    node.rpc('dev.snapshot')
    node.rpc('dev.setBalance', balance)
    node.rpc('dev.snapshot')
    node.rpc('dev.revert', { snapshot: 1 })
    expect(snapshotKeys(node)).toEqual(['snapshot-next'])
  })
})

test('dev.loadState refuses a ledger in which every later request or duty would fail', () => {
  const node = startTestNode()
  const { state } = node.rpc('dev.dumpState') as { state: object }
  for (const entry of [{ 'control-faults': '{}' }, { 'market/1/settings/settlement': '{' }, { 'control-clock': 'x' }]) {
    expect(() => node.rpc('dev.loadState', { state: { ...state, ...entry } })).toThrow('is not what dev.dumpState gave')
  }
  expect(node.rpc('dev.dumpState')).toEqual({ state })
})
