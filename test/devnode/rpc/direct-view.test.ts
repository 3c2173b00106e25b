import { describe, expect, test } from 'vitest'
import { answerView, areDirect, type DirectArg } from '#devnode/rpc/direct-view.ts'
import type { Address } from '#streamnet/types.ts'
import { keys, startTestNode, type TestNode, testSettings } from '../../support/devnode.ts'

const nodeOf = ({ store, nowMs }: TestNode, overrides: Partial<typeof testSettings> = {}) => ({
  store,
  settings: { ...testSettings, ...overrides },
  nowMs,
})

/** Asks a view both ways. */
function bothWays(node: TestNode, action: string, args: readonly DirectArg[]) {
  const { query_result, logs } = node.call(action, args, keys.owner)
  const asked = { action, args, sender: keys.owner.address }
  // A text goes to the gateway from both.
  return [JSON.stringify(answerView(nodeOf(node), asked)), JSON.stringify({ query_result, logs })]
}

describe('answerView()', () => {
  const node = startTestNode()
  node.rpc('dev.loadSeedNetwork')
  const streams = node.view('list_streams', ['', 100, 0, '', 0])
  const places = streams.map(([provider, streamId]) => [String(provider), String(streamId)] as const)

  test('gives what user.call gives for every read of every stream of the seed network', () => {
    expect(places.length).toBeGreaterThan(2)
    for (const [provider, streamId] of places) {
      const reads: readonly (readonly [string, readonly DirectArg[]])[] = [
        ['get_record', [provider, streamId, 0, 2n ** 62n, null]],
        ['GET_RECORD', [provider, streamId, null, null, null, true]],
        ['get_index', [provider, streamId, 0, null, null, null]],
        ['get_first_record', [provider, streamId, null, null]],
        ['get_last_record', [provider, streamId, null, 5]],
        ['get_category_streams', [provider, streamId, null, null]],
        ['get_metadata', [provider, streamId, 'type', null, null, null, null]],
      ]
      for (const [action, args] of reads) {
        const [direct, wire] = bothWays(node, action, args)
        expect(direct).toBe(wire)
      }
    }
  })

  test('gives what user.call gives for tables with bytes, flags and amounts', () => {
    const reads: readonly (readonly [string, readonly DirectArg[]])[] = [
      ['list_markets', [null, null, null]],
      ['get_market_info', [1]],
      ['get_order_book', [1, true]],
      ['get_full_market_depth', [2]],
      ['validate_market_collateral', [1]],
    ]
    for (const [action, args] of reads) {
      const [direct, wire] = bothWays(node, action, args)
      expect(direct).toBe(wire)
    }
  })

  const ask = (given: TestNode, action: string, args: readonly DirectArg[], overrides = {}) =>
    answerView(nodeOf(given, overrides), { action, args, sender: undefined })

  test('leaves every refusal to the wire, and changes nothing', () => {
    const before = JSON.stringify(node.rpc('dev.dumpState'))
    const [provider = '', streamId = ''] = places[0] ?? []
    const refused: readonly (readonly [string, readonly DirectArg[]])[] = [
      ['get_record', [provider, `st${'z'.repeat(30)}`, null, null, null]],
      ['get_record', [provider, streamId, 'text', null, null]],
      ['get_record', [provider, streamId, 1.5, null, null]],
      ['get_record', [provider, streamId, 2n ** 64n, null, null]],
      ['get_record', [provider]],
      ['no_action', []],
      ['create_stream', [streamId, 'primitive']],
    ]
    for (const [action, args] of refused) expect(ask(node, action, args)).toBeUndefined()
    expect(JSON.stringify(node.rpc('dev.dumpState'))).toBe(before)
  })

  test('leaves a private node to the wire', () => {
    expect(ask(node, 'list_markets', [null, null, null])).toBeDefined()
    expect(ask(node, 'list_markets', [null, null, null], { mode: 'private' })).toBeUndefined()
  })

  test('leaves a failure that is ordered for user.call to the wire, and no other', () => {
    const failing = startTestNode()
    failing.rpc('dev.failNext', { error: 'internal_error', method: 'user.estimate_price' })
    expect(ask(failing, 'list_streams', ['', 1, 0, '', 0])).toBeDefined()
    failing.rpc('dev.failNext', { error: 'internal_error', method: 'user.call' })
    expect(ask(failing, 'list_streams', ['', 1, 0, '', 0])).toBeUndefined()
    expect(() => failing.call('list_streams', ['', 1, 0, '', 0])).toThrow('-')
    expect(ask(failing, 'list_streams', ['', 1, 0, '', 0])).toBeDefined()
  })

  test('asks in the name of the sender', () => {
    const streamId = `st${'p'.repeat(30)}`
    const own = startTestNode()
    const provider: Address = keys.owner.address
    own.must(keys.owner, 'create_stream', streamId, 'primitive')
    own.must(keys.owner, 'insert_metadata', provider, streamId, 'read_visibility', '1', 'int')
    const read = (sender: Address | undefined) =>
      answerView(nodeOf(own), { action: 'get_record', args: [provider, streamId, 0, 9, null], sender })
    expect(read(provider)).toBeDefined()
    expect([read(undefined), read(keys.stranger.address)]).toEqual([undefined, undefined])
  })
})

describe('areDirect()', () => {
  test('takes text, whole numbers, flags and nulls', () => {
    expect(areDirect(['a', '🜲', 1, 2n, true, null])).toBe(true)
  })

  test('leaves to the wire what changes when it is encoded, and what has parts', () => {
    const others = ['\ud800', 'a\udc00', new Uint8Array([1]), [1], [], { type: 'x' }]
    // The last one is not an argument; `areDirect()` only says that it is not plain.
    for (const one of others) expect(areDirect([null, one as never])).toBe(false)
  })
})
