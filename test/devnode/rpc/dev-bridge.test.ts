import { describe, expect, test } from 'vitest'
import { profiles } from '#devnode/profiles.ts'
import { balanceOf, historyOf, wallets } from '../../support/bridges.ts'
import { keys, startTestNode } from '../../support/devnode.ts'

const owner = keys.owner.address

test('dev.setBalance takes every name of a bridge that the client takes', () => {
  const node = startTestNode()
  const wallet = keys.stranger.address
  const names = { sepolia_bridge: 'sepolia', ethereum_bridge: 'ethereum', testnet_b: 'hoodi_tt2' }
  for (const [bridge, prefix] of Object.entries(names)) {
    node.rpc('dev.setBalance', { bridge, wallet, amount: '7' })
    expect(node.view(`${prefix}_wallet_balance`, [wallet])).toEqual([['7']])
  }
  for (const bridge of ['base_bridge', 'constructor']) {
    expect(() => node.rpc('dev.setBalance', { bridge, wallet, amount: '7' })).toThrow(
      'expected one of eth_main, eth_stable, testnet_a, testnet_b, testnet_legacy',
    )
  }
})

describe('dev.deposit', () => {
  test('one hash pays in once for each wallet, in the same block and later; the refusal changes nothing', () => {
    const node = startTestNode()
    const [other] = wallets
    const given = { bridge: 'hoodi_tt2', wallet: owner, amount: '5', external_tx_hash: 'ab'.repeat(32) }
    node.rpc('dev.deposit', given)
    for (const blocks of [0, 1]) {
      if (blocks > 0) node.rpc('dev.mine', { blocks })
      expect(() => node.rpc('dev.deposit', given)).toThrow('which has paid in for this wallet already')
    }
    node.rpc('dev.deposit', { ...given, wallet: other?.address })
    expect([balanceOf(node, owner), historyOf(node, owner).length]).toEqual(['5', 1])
  })

  test('credits a wallet, and its history says where from', () => {
    const node = startTestNode({ profile: profiles.head })
    const from = `0x${'4A'.repeat(20)}`
    const params = { bridge: 'testnet_c', wallet: owner, amount: '5', from }
    expect(() => node.rpc('dev.deposit', params)).toThrow('bridge is "testnet_c", expected one of eth_main')
    const given = { ...params, bridge: 'testnet_b', external_tx_hash: 'cd'.repeat(32), external_block_height: 9 }
    node.rpc('dev.deposit', given)
    expect(node.rpc('dev.deposit', { ...given, external_tx_hash: 'ce'.repeat(32) })).toEqual({ balance: '10' })
    const row = {
      from_address: new Uint8Array(20).fill(0x4a),
      status: 'completed',
      block_height: 1n,
      external_block_height: 9n,
    }
    expect(historyOf(node, owner)).toMatchObject([row, row])
  })
})
