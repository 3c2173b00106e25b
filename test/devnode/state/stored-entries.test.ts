import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { numeric } from '#streamnet/codec/value.ts'
import { encodeActionArgs } from '#streamnet/market-question.ts'
import { keys, startTestNode } from '../../support/devnode.ts'
import {
  openMarket,
  publishValue,
  quoteBothSides,
  requestMarketAttestation,
  startMarketNode,
  trader,
} from '../../support/markets.ts'

const streamId = `st${'a'.repeat(30)}`
const owner = keys.owner.address

/** Entries as text: without hashes and bytes of this run, the form is what is left around them. */
function describeEntries(entries: readonly (readonly [string, string])[]) {
  const lines = entries.map(([key, value]) => `${key}=${value}`.replaceAll(/[0-9a-f]{40,}/g, 'hex'))
  const text = lines.map((line) => line.replaceAll(/"[\w+/]{40,}=*"/g, '"base64"')).join('\n')
  return { text, hash: createHash('sha256').update(text).digest('hex').slice(0, 8) }
}

/** The kinds of entries: `movement` of `movement/hoodi_tt/…`, and `market/1/book` of an entry of a market. */
function kindsOf(entries: readonly (readonly [string, string])[]): readonly string[] {
  return [...new Set(entries.map(([key]) => /^(?:market\/\d+\/)?[^/]*/.exec(key)?.[0] ?? ''))]
}

const advice = 'The form of stored entries has changed: read the form of every release too, and write the new hash here'

test('entries of markets: what a build wrote is read by every later one', () => {
  const node = startMarketNode(['a', 'b'])
  node.rpc('dev.grantRole', { wallet: owner })
  publishValue(node, '42')
  const open = openMarket(node)
  const market = openMarket(node, 41)
  node.must(keys.owner, 'update_settlement_config', true, '*/5 * * * *', 10, 3)
  node.must(keys.owner, 'update_lp_rewards_config', true, 1, 10)
  // Settlement forgets the samples of its market.
  for (const quoted of [market, open]) quoteBothSides(node, { name: 'a', market: quoted, distance: 2, amount: 100 })
  node.must(trader('b'), 'place_buy_order', market, true, 52, 7)
  node.must(trader('b'), 'place_buy_order', open, true, 20, 3)
  node.nowMs = 1_760_001_000_000
  node.rpc('dev.setBalance', { bridge: 'hoodi_tt', wallet: keys.operator.address, amount: `${10n ** 20n}` })
  requestMarketAttestation(node, 41)
  node.must(keys.owner, 'settle_market', market)
  node.rpc('dev.deposit', { bridge: 'hoodi_tt2', wallet: owner, amount: '1', external_tx_hash: 'ab'.repeat(32) })
  const entries = [...node.store.list({ start: 'deposit', end: 'markeu' })].filter(([key]) =>
    /^(market|deposit)/.test(key),
  )
  expect(kindsOf(entries)).toEqual([
    'deposit-external',
    'deposit',
    'market/1/active',
    'market/1/book',
    'market/1/count',
    'market/1/distribution-of',
    'market/1/distribution',
    'market/1/due',
    'market/1/event-of',
    'market/1/event',
    'market/1/hash',
    'market/1/held-by',
    'market/1/info',
    'market/1/level',
    'market/1/participant',
    'market/1/payment-of',
    'market/1/payment',
    'market/1/position',
    'market/1/reward',
    'market/1/samples',
    'market/1/settings',
    'market/1/total-of',
    'market/1/total',
    'market/1/vault',
    'market/1/wallet',
  ])
  const { text, hash } = describeEntries(entries)
  expect(hash, `${advice}\n${text}`).toBe('6e92112f')
})

test('entries of attestations, movements and epochs: what a build wrote is read by every later one', () => {
  const node = startTestNode()
  for (const bridge of ['hoodi_tt', 'hoodi_tt2']) {
    node.rpc('dev.deposit', { bridge, wallet: owner, amount: `${10n ** 21n}`, external_block_height: 7 })
  }
  node.must(keys.owner, 'create_stream', streamId, 'primitive')
  node.must(keys.owner, 'insert_record', owner, streamId, 100, numeric('42'))
  const args = encodeActionArgs([owner, streamId, null, null, false])
  node.must(keys.owner, 'request_attestation', owner, streamId, 'get_last_record', args, false, null)
  node.rpc('dev.failNext', { error: 'signature_lost' })
  node.must(keys.owner, 'request_attestation', owner, streamId, 'get_last_record', args, false, null)
  node.must(keys.owner, 'hoodi_tt2_bridge_tokens', null, '5')
  node.must(keys.owner, 'hoodi_tt2_bridge_tokens', keys.stranger.address, '6')
  node.rpc('dev.failNext', { error: 'vote_lost' })
  node.rpc('dev.advanceEpoch', { bridge: 'hoodi_tt2' })
  const epochs = [...node.store.list({ start: 'epoch-unconfirmed/', end: 'epoch-unconfirmed0' })]
  expect(epochs.map(([, value]) => value)).toEqual(['2 lost'])
  node.rpc('dev.mine')
  node.rpc('dev.claim', { bridge: 'hoodi_tt2', wallet: owner })
  const entries = [...node.store.list({ start: 'a', end: '~' })].filter(([key]) =>
    /^(attestation|movement|epoch)/.test(key),
  )
  expect(kindsOf(entries)).toEqual([
    'attestation-hash',
    'attestation-height',
    'attestation-requester',
    'attestation',
    'epoch-claim',
    'epoch-open',
    'epoch-wallet',
    'epoch',
    'movement',
  ])
  const { text, hash } = describeEntries(entries)
  expect(hash, `${advice}\n${text}`).toBe('99c46b66')
})
