import { expect, test } from 'vitest'
import { profiles } from '#devnode/profiles.ts'
import { numeric } from '#streamnet/codec/value.ts'
import { keys, namedRows, startTestNode } from '../support/devnode.ts'

const streamId = `st${'a'.repeat(30)}`

test('profiles.head lets any wallet create streams for a fee that goes to the leader', () => {
  const node = startTestNode({ profile: profiles.head })
  const createOne = () => node.execute(keys.stranger, 'create_stream', [streamId, 'primitive'])
  expect(createOne().log).toContain('Insufficient balance for stream creation. Required: 100 TRUF per stream')
  const token = 10n ** 18n
  node.rpc('dev.setBalance', { bridge: 'hoodi_tt', wallet: keys.stranger.address, amount: `${102n * token}` })
  const { code, hash } = createOne()
  expect(code).toBe(0)
  const call = [[keys.stranger.address], [streamId], [1], numeric(['1'])]
  expect(node.execute(keys.stranger, 'insert_records', call, call).code).toBe(0)
  expect(node.execute(keys.stranger, 'insert_records', call).log).toContain(
    'Insufficient balance for write fee. Required: 1 TRUF',
  )
  expect(node.view('hoodi_tt_wallet_balance', [keys.stranger.address])).toEqual([['0']])
  expect(node.view('hoodi_tt_wallet_balance', [keys.operator.address])).toEqual([[`${102n * token}`]])
  const fee = `${100n * token}`
  expect(namedRows(node, 'get_transaction_event', [hash])).toEqual([
    {
      tx_id: `0x${hash}`,
      block_height: 3n,
      method: 'deployStream',
      caller: keys.stranger.address,
      fee_amount: fee,
      fee_recipient: keys.operator.address,
      metadata: null,
      fee_distributions: `${keys.operator.address}:${fee}`,
    },
  ])
  const received = node.view('list_transaction_fees', [keys.operator.address, 'received', 20, 0])
  expect(received).toHaveLength(2)
})
