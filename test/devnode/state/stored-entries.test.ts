import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { numeric } from '../../../src/streamnet/codec/value.ts'
import { encodeActionArgs } from '../../../src/streamnet/market-data.ts'
import { keys, startTestNode } from '../../support/devnode.ts'

const streamId = `st${'a'.repeat(30)}`
const owner = keys.owner.address

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
  const kinds = [...new Set(entries.map(([key]) => key.slice(0, key.indexOf('/'))))]
  // Hashes and bytes are of this run; the form is what stands around them.
  const lines = entries.map(([key, value]) => `${key}=${value}`.replaceAll(/[0-9a-f]{40,}/g, 'hex'))
  const text = lines.map((line) => line.replaceAll(/"[\w+/]{40,}=*"/g, '"base64"')).join('\n')
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 8)
  const advice =
    'The form of entries that earlier builds have written has changed: read both forms, and write the new hash here'
  expect([kinds, hash], `${advice}\n${text}`).toEqual([
    [
      'attestation-hash',
      'attestation-height',
      'attestation-requester',
      'attestation',
      'epoch-claim',
      'epoch-open',
      'epoch-wallet',
      'epoch',
      'movement',
    ],
    '99c46b66',
  ])
})
