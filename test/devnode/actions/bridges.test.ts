import { describe, expect, test } from 'vitest'
import { decodeBase64 } from '#base/base64.ts'
import { decodeHex, encodeHex } from '#base/hex.ts'
import { profiles } from '#devnode/profiles.ts'
import { toChecksumAddress } from '#streamnet/ids.ts'
import type { ActionArg } from '#streamnet/types.ts'
import { verifyProof } from '#streamnet/withdrawal-proof.ts'
import { balanceOf, historyOf, movementsOf, proofsOf, startFunded, wallets, wei } from '../../support/bridges.ts'
import { keys, namedRows, startTestNode } from '../../support/devnode.ts'
import { contractSigners } from '../../support/withdrawal-verifier.ts'

const owner = keys.owner.address

describe('transfer', () => {
  test('moves the amount, and one token to the leader; both are in the history and the ledger has the fee', () => {
    const node = startFunded(profiles.head, 'hoodi_tt')
    const [to] = wallets
    const { hash } = node.must(keys.owner, 'hoodi_tt_transfer', to?.address ?? '', wei(10))
    expect(balanceOf(node, owner, 'hoodi_tt')).toBe(wei(89))
    expect(balanceOf(node, to?.address ?? '', 'hoodi_tt')).toBe(wei(110))
    expect(balanceOf(node, keys.operator.address, 'hoodi_tt')).toBe(wei(1))
    const rows = historyOf(node, owner, 'hoodi_tt').filter(({ type }) => type === 'transfer')
    const moved = { internal_tx_hash: decodeHex(hash), status: 'completed' }
    const fee = { ...moved, amount: wei(1), to_address: decodeHex(keys.operator.address.slice(2)) }
    const paid = { ...moved, amount: wei(10), to_address: decodeHex(to?.address.slice(2) ?? '') }
    expect(rows).toEqual(expect.arrayContaining([expect.objectContaining(fee), expect.objectContaining(paid)]))
    expect(rows).toHaveLength(2)
    expect(namedRows(node, 'get_transaction_event', [hash])).toMatchObject([
      {
        method: 'transferTN',
        caller: owner,
        fee_amount: wei(1),
        fee_recipient: keys.operator.address,
        metadata: '{"bridge":"hoodi_tt"}',
      },
    ])
  })

  const fees: readonly (readonly [string, keyof typeof profiles, bigint, string])[] = [
    ['hoodi_tt', 'head', 10n ** 18n, '1 TT'],
    ['hoodi_tt2', 'head', 10n ** 16n, '0.01 TT2'],
    ['hoodi_tt2', 'seed', 10n ** 18n, '1 TT2'],
    ['eth_usdc', 'head', 10n ** 4n, '0.01 USDC'],
    ['eth_usdc', 'seed', 10n ** 6n, '1 USDC'],
    ['sepolia', 'head', 10n ** 18n, '1 TRUF'],
  ]
  for (const [bridge, profile, fee, text] of fees) {
    test(`over ${bridge} costs ${text} in profile ${profile}, and nothing when it is refused`, () => {
      const node = startTestNode({ profile: profiles[profile] })
      node.rpc('dev.setBalance', { bridge, wallet: owner, amount: `${fee + 9n}` })
      const [to] = wallets
      const refused = node.execute(keys.owner, `${bridge}_transfer`, [to?.address ?? '', '10'])
      expect(refused.log).toBe(
        `ERROR: Insufficient balance for transfer. Requires an extra ${text} fee on top of the transfer amount`,
      )
      expect(balanceOf(node, owner, bridge)).toBe(`${fee + 9n}`)
      node.must(keys.owner, `${bridge}_transfer`, to?.address ?? '', '9')
      expect(balanceOf(node, owner, bridge)).toBe('0')
    })
  }

  const refused: readonly (readonly [string, readonly ActionArg[], string])[] = [
    ['a short address', ['0x12', '1'], 'Invalid Ethereum address format. Must be a valid Ethereum address: 0x12'],
    ['nothing', [owner, '0'], 'Transfer amount must be positive'],
    ['less than nothing', [owner, '-1'], 'Transfer amount must be positive'],
    ['text', [owner, 'ten'], 'type cast error: invalid decimal string: ten'],
    ['no amount', [owner, null], 'extension method "transfer" expected argument 2 to be non-null'],
  ]
  for (const [what, args, text] of refused) {
    test(`of ${what} is refused with the network's text`, () => {
      const node = startFunded()
      const { code, log } = node.execute(keys.owner, 'hoodi_tt2_transfer', args)
      expect(code).toBe(65535)
      expect(log).toContain(text)
      expect(balanceOf(node, owner)).toBe(wei(100))
    })
  }
})

describe('withdrawal', () => {
  test('waits for its epoch, is completed by the votes, and claimed on the other chain', () => {
    const node = startFunded()
    const [to] = wallets
    const wallet = to?.address ?? ''
    node.must(keys.owner, 'hoodi_tt2_bridge_tokens', wallet, wei(2))
    expect(balanceOf(node, owner)).toBe(wei(98))
    expect(movementsOf(node, owner)).toEqual(['withdrawal pending_epoch', 'deposit completed'])
    expect(proofsOf(node, wallet)).toEqual([])
    const { height } = node.rpc('dev.advanceEpoch', { bridge: 'hoodi_tt2' }) as { height: number }
    expect(movementsOf(node, wallet)).toEqual(['withdrawal completed', 'deposit completed'])
    const [proof, ...others] = proofsOf(node, wallet)
    expect(others).toEqual([])
    // The block with the votes follows the one that ended the epoch.
    expect(proof).toMatchObject({ chain: 'hoodi', chainId: '560048', amount: wei(2), blockHeight: height - 1 })
    const claimed = { bridge: 'hoodi_tt2', wallet, external_tx_hash: 'ab'.repeat(32), external_block_height: 77 }
    expect(node.rpc('dev.claim', claimed)).toEqual({ claimed: 1 })
    expect(proofsOf(node, wallet)).toEqual([])
    expect(historyOf(node, wallet)[0]).toMatchObject({
      type: 'withdrawal',
      status: 'claimed',
      external_tx_hash: new Uint8Array(32).fill(0xab),
      external_block_height: 77n,
    })
    expect(node.rpc('dev.claim', claimed)).toEqual({ claimed: 0 })
  })

  for (const count of [1, 2, 3, 5, 7]) {
    test(`of ${count} wallets gives each a proof that a contract takes`, () => {
      const node = startFunded()
      for (const [index, { address }] of wallets.slice(0, count).entries()) {
        node.must(keys.owner, 'hoodi_tt2_bridge_tokens', address, wei(index + 1))
      }
      node.rpc('dev.advanceEpoch', { bridge: 'hoodi_tt2' })
      for (const [index, { address }] of wallets.slice(0, count).entries()) {
        const [proof] = proofsOf(node, address)
        if (proof === undefined) throw new Error('no proof')
        expect(proof).toMatchObject({ recipient: toChecksumAddress(address), amount: wei(index + 1) })
        expect(contractSigners(proof)).toEqual([keys.operator.address])
        expect(verifyProof(proof).validators).toEqual([toChecksumAddress(keys.operator.address)])
        expect(contractSigners({ ...proof, amount: wei(50) })).toBeUndefined()
        expect(() => verifyProof({ ...proof, amount: wei(50) })).toThrow('do not lead to the root')
      }
    })
  }

  test('of one wallet twice in an epoch is one claim of the sum', () => {
    const node = startFunded()
    node.must(keys.owner, 'hoodi_tt2_bridge_tokens', owner, wei(2))
    node.must(keys.owner, 'hoodi_tt2_bridge_tokens', owner, wei(3))
    node.rpc('dev.advanceEpoch', { bridge: 'hoodi_tt2' })
    expect(proofsOf(node, owner).map(({ amount }) => amount)).toEqual([wei(5)])
    expect(movementsOf(node, owner).filter((one) => one === 'withdrawal completed')).toHaveLength(2)
  })

  test('goes to the caller when no recipient is named', () => {
    const node = startFunded()
    node.must(keys.owner, 'hoodi_tt2_bridge_tokens', null, wei(1))
    node.rpc('dev.advanceEpoch', { bridge: 'hoodi_tt2' })
    expect(proofsOf(node, owner)).toHaveLength(1)
  })

  test('of several epochs has a proof of each, the newest first', () => {
    const node = startFunded()
    for (const tokens of [1, 2]) {
      node.must(keys.owner, 'hoodi_tt2_bridge_tokens', owner, wei(tokens))
      node.rpc('dev.advanceEpoch', { bridge: 'hoodi_tt2' })
    }
    expect(proofsOf(node, owner).map(({ amount }) => amount)).toEqual([wei(2), wei(1)])
  })

  test('is claimed epoch by epoch: the oldest, or the one whose block is named', () => {
    const node = startFunded()
    for (const tokens of [1, 2, 3]) {
      node.must(keys.owner, 'hoodi_tt2_bridge_tokens', owner, wei(tokens))
      node.rpc('dev.advanceEpoch', { bridge: 'hoodi_tt2' })
    }
    const amounts = () => proofsOf(node, owner).map(({ amount }) => amount)
    const claim = { bridge: 'testnet_b', wallet: owner }
    expect(node.rpc('dev.claim', claim)).toEqual({ claimed: 1 })
    expect(amounts()).toEqual([wei(3), wei(2)])
    const [newest] = proofsOf(node, owner)
    const block_hash = encodeHex(decodeBase64(newest?.blockHash ?? ''))
    expect(() => node.rpc('dev.claim', { ...claim, block_hash: 'ab'.repeat(32) })).toThrow(block_hash)
    expect(node.rpc('dev.claim', { ...claim, block_hash: `0x${block_hash}` })).toEqual({ claimed: 1 })
    expect(amounts()).toEqual([wei(2)])
    expect(() => node.rpc('dev.claim', { ...claim, block_hash })).toThrow('block_hash is')
    expect(node.rpc('dev.claim', claim)).toEqual({ claimed: 1 })
    expect(node.rpc('dev.claim', claim)).toEqual({ claimed: 0 })
  })

  test('costs 40 tokens on the two old bridges, which the ledger says', () => {
    const node = startFunded(profiles.head, 'sepolia')
    const refused = node.execute(keys.owner, 'sepolia_bridge_tokens', [owner, wei(61)])
    expect(refused.log).toBe(
      `ERROR: Insufficient balance for withdrawal. Required: 101 TRUF (${wei(61)} wei withdrawal + 40 TRUF fee)`,
    )
    const { hash } = node.must(keys.owner, 'sepolia_bridge_tokens', owner, wei(60))
    expect(balanceOf(node, owner, 'sepolia')).toBe('0')
    const event = { method: 'withdrawTN', caller: owner, fee_amount: wei(40) }
    expect(namedRows(node, 'get_transaction_event', [hash])).toMatchObject([event])
  })

  const refused: readonly (readonly [string, readonly ActionArg[], string])[] = [
    ['more than there is', [owner, wei(101)], 'Insufficient balance for withdrawal. Required: 101 tokens'],
    [
      'half a token more than there is, which the network rounds',
      [owner, `${10n ** 20n + 5n * 10n ** 17n}`],
      'Insufficient balance for withdrawal. Required: 101 tokens',
    ],
    ['nothing', [owner, '0'], 'amount needs to be positive'],
    ['less than nothing', [owner, '-5'], 'amount needs to be positive'],
    ['a short address', ['0x12', '1'], 'invalid ethereum address: 0x12'],
    ['an empty address', ['', '1'], 'recipient must be provided'],
    [
      'no amount',
      [owner, null],
      'extension implementation error: extension method "bridge" expected argument 2 to be non-null, but got null',
    ],
  ]
  for (const [what, args, text] of refused) {
    test(`to ${what} is refused with the network's text`, () => {
      const node = startFunded()
      expect(node.execute(keys.owner, 'hoodi_tt2_bridge_tokens', args)).toMatchObject({
        code: 65535,
        log: `ERROR: ${text}`,
      })
      expect(balanceOf(node, owner)).toBe(wei(100))
      expect(movementsOf(node, owner)).toEqual(['deposit completed'])
    })
  }
})

describe('get_erc20_bridge_info', () => {
  test('returns the settings of a bridge', () => {
    expect(namedRows(startTestNode(), 'hoodi_tt2_get_erc20_bridge_info', [])).toMatchObject([
      {
        chain: 'hoodi',
        escrow: '0x80D9B3b6941367917816d36748C88B303f7F1415',
        epoch_period: '10m0s',
        decimals: 18n,
        balance: '0',
        synced: true,
        synced_at: 1_760_000_000n,
        enabled: true,
      },
    ])
  })

  test("on today's network returns the height at which the bridge was added", () => {
    const node = startTestNode({ profile: profiles.head })
    expect(namedRows(node, 'hoodi_tt2_get_erc20_bridge_info', [])).toMatchObject([{ synced: true, synced_at: 1n }])
  })
})

describe('a malformed address', () => {
  for (const [action, args] of [
    ['hoodi_tt_wallet_balance', ['0x12']],
    ['hoodi_tt_get_history', ['0x12', 20, 0]],
    ['hoodi_tt_get_withdrawal_proof', ['0x12']],
  ] as const) {
    test(`in ${action} is refused by the extension`, () => {
      expect(() => startTestNode().call(action, args)).toThrow('-300 invalid ethereum address: 0x12')
    })
  }
})
