import { describe, expect, test } from 'vitest'
import { encodeBase64 } from '#base/base64.ts'
import { decodeHex, encodeHex } from '#base/hex.ts'
import { profiles } from '#devnode/profiles.ts'
import { buildTree, makeProof, treeRoot } from '#devnode/withdrawals/merkle-tree.ts'
import { computeRoot } from '#streamnet/codec/merkle.ts'
import { numeric } from '#streamnet/codec/value.ts'
import { toChecksumAddress } from '#streamnet/ids.ts'
import { createSigner } from '#streamnet/signing/signer.ts'
import type { ActionArg } from '#streamnet/types.ts'
import { verifyProof } from '#streamnet/withdrawal-proof.ts'
import { keys, startTestNode, type TestNode } from '../support/devnode.ts'
import { contractSigners } from '../support/withdrawal-verifier.ts'

const wallets = Array.from({ length: 7 }, (_, index) => createSigner(`${index + 3}`.padStart(64, '0')))
const owner = keys.owner.address
const wei = (tokens: number) => `${BigInt(Math.round(tokens * 100)) * 10n ** 16n}`

function startFunded(profile = profiles.head, bridge = 'hoodi_tt2'): TestNode {
  const node = startTestNode({ profile })
  for (const { address } of [keys.owner, ...wallets]) {
    node.rpc('dev.setBalance', { bridge, wallet: address, amount: wei(100) })
  }
  node.rpc('dev.mine')
  return node
}

const balanceOf = (node: TestNode, wallet: string, bridge = 'hoodi_tt2') =>
  node.view(`${bridge}_wallet_balance`, [wallet])[0]?.[0]
const history = (node: TestNode, wallet: string, bridge = 'hoodi_tt2') =>
  node.view(`${bridge}_get_history`, [wallet, 20, 0])
const states = (node: TestNode, wallet: string) => history(node, wallet).map((row) => `${row[0]} ${row[6]}`)

/** The proofs of a wallet in the form of the client. */
function proofs(node: TestNode, wallet: string, bridge = 'hoodi_tt2') {
  return node
    .view(`${bridge}_get_withdrawal_proof`, [wallet])
    .map((row) => ({
      chain: String(row[0]),
      chainId: String(row[1]),
      contract: String(row[2]),
      blockHeight: Number(row[3]),
      recipient: String(row[4]),
      amount: String(row[5]),
      blockHash: encodeBase64(row[6] as Uint8Array),
      root: encodeBase64(row[7] as Uint8Array),
      proofs: (row[8] as readonly Uint8Array[]).map(encodeBase64),
      signatures: (row[9] as readonly Uint8Array[]).map(encodeBase64),
    }))
}

describe('transfer', () => {
  test('moves the amount, and one token to the leader; both are in the history and the ledger has the fee', () => {
    const node = startFunded(profiles.head, 'hoodi_tt')
    const [to] = wallets
    const { hash } = node.must(keys.owner, 'hoodi_tt_transfer', to?.address ?? '', wei(10))
    expect(balanceOf(node, owner, 'hoodi_tt')).toBe(wei(89))
    expect(balanceOf(node, to?.address ?? '', 'hoodi_tt')).toBe(wei(110))
    expect(balanceOf(node, keys.operator.address, 'hoodi_tt')).toBe(wei(1))
    const rows = history(node, owner, 'hoodi_tt').filter(([type]) => type === 'transfer')
    expect(rows.map((row) => [row[1], encodeHex(row[3] as Uint8Array), row[6]]).sort()).toEqual(
      [
        [wei(1), keys.operator.address.slice(2), 'completed'],
        [wei(10), to?.address.slice(2), 'completed'],
      ].sort(),
    )
    expect(rows.every((row) => encodeHex(row[4] as Uint8Array) === hash)).toBe(true)
    const [event] = node.view('get_transaction_event', [hash])
    expect(event?.slice(2, 7)).toEqual(['transferTN', owner, wei(1), keys.operator.address, '{"bridge":"hoodi_tt"}'])
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
    expect(states(node, owner)).toEqual(['withdrawal pending_epoch', 'deposit completed'])
    expect(proofs(node, wallet)).toEqual([])
    const { height } = node.rpc('dev.advanceEpoch', { bridge: 'hoodi_tt2' }) as { height: number }
    expect(states(node, wallet)).toEqual(['withdrawal completed', 'deposit completed'])
    const [proof, ...others] = proofs(node, wallet)
    expect(others).toEqual([])
    // The block with the votes follows the one that ended the epoch.
    expect(proof).toMatchObject({ chain: 'hoodi', chainId: '560048', amount: wei(2), blockHeight: height - 1 })
    const claimed = { bridge: 'hoodi_tt2', wallet, external_tx_hash: 'ab'.repeat(32), external_block_height: 77 }
    expect(node.rpc('dev.claim', claimed)).toEqual({ claimed: 1 })
    expect(proofs(node, wallet)).toEqual([])
    const [row] = history(node, wallet)
    expect([row?.[0], row?.[6], row?.[9]]).toEqual(['withdrawal', 'claimed', 77n])
    expect(encodeHex(row?.[5] as Uint8Array)).toBe('ab'.repeat(32))
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
        const [proof] = proofs(node, address)
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
    expect(proofs(node, owner).map(({ amount }) => amount)).toEqual([wei(5)])
    expect(states(node, owner).filter((one) => one === 'withdrawal completed')).toHaveLength(2)
  })

  test('goes to the caller when no recipient is named', () => {
    const node = startFunded()
    node.must(keys.owner, 'hoodi_tt2_bridge_tokens', null, wei(1))
    node.rpc('dev.advanceEpoch', { bridge: 'hoodi_tt2' })
    expect(proofs(node, owner)).toHaveLength(1)
  })

  test('of several epochs has a proof of each, the newest first', () => {
    const node = startFunded()
    for (const tokens of [1, 2]) {
      node.must(keys.owner, 'hoodi_tt2_bridge_tokens', owner, wei(tokens))
      node.rpc('dev.advanceEpoch', { bridge: 'hoodi_tt2' })
    }
    expect(proofs(node, owner).map(({ amount }) => amount)).toEqual([wei(2), wei(1)])
  })

  test('is claimed epoch by epoch: the oldest, or the one whose block is named', () => {
    const node = startFunded()
    for (const tokens of [1, 2, 3]) {
      node.must(keys.owner, 'hoodi_tt2_bridge_tokens', owner, wei(tokens))
      node.rpc('dev.advanceEpoch', { bridge: 'hoodi_tt2' })
    }
    const amounts = () => proofs(node, owner).map(({ amount }) => amount)
    const claim = { bridge: 'testnet_b', wallet: owner }
    expect(node.rpc('dev.claim', claim)).toEqual({ claimed: 1 })
    expect(amounts()).toEqual([wei(3), wei(2)])
    const [newest] = node.view('hoodi_tt2_get_withdrawal_proof', [owner])
    const block_hash = encodeHex(newest?.[6] as Uint8Array)
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
    expect(node.view('get_transaction_event', [hash])[0]?.slice(2, 5)).toEqual(['withdrawTN', owner, wei(40)])
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
      expect(states(node, owner)).toEqual(['deposit completed'])
    })
  }
})

describe('epochs', () => {
  const later = (node: TestNode, seconds: number) => {
    node.rpc('dev.increaseTime', { seconds })
    node.rpc('dev.mine')
  }

  test('end ten minutes after they began, by the time of the chain', () => {
    const node = startFunded()
    node.must(keys.owner, 'hoodi_tt2_bridge_tokens', owner, wei(1))
    later(node, 599)
    expect(proofs(node, owner)).toEqual([])
    later(node, 1)
    node.rpc('dev.mine')
    expect(proofs(node, owner)).toHaveLength(1)
  })

  test('without a withdrawal wait half an hour for one before they begin again', () => {
    const node = startFunded()
    later(node, 1799)
    node.must(keys.owner, 'hoodi_tt2_bridge_tokens', owner, wei(1))
    node.rpc('dev.mine')
    expect(proofs(node, owner)).toHaveLength(1)
    later(node, 1800)
    node.must(keys.owner, 'hoodi_tt2_bridge_tokens', owner, wei(1))
    node.rpc('dev.mine')
    expect(proofs(node, owner)).toHaveLength(1)
  })

  test('stay unconfirmed while votes are lost, and hold up the next one', () => {
    const node = startFunded()
    node.must(keys.owner, 'hoodi_tt2_bridge_tokens', owner, wei(1))
    node.rpc('dev.failNext', { error: 'vote_lost', times: 3 })
    node.rpc('dev.advanceEpoch', { bridge: 'hoodi_tt2' })
    node.must(keys.owner, 'hoodi_tt2_bridge_tokens', owner, wei(2))
    later(node, 700)
    expect(states(node, owner)).toEqual(['withdrawal pending_epoch', 'withdrawal pending_epoch', 'deposit completed'])
    node.rpc('dev.mine')
    expect(states(node, owner)).toEqual(['withdrawal pending_epoch', 'withdrawal completed', 'deposit completed'])
    node.rpc('dev.mine')
    expect(states(node, owner)[0]).toBe('withdrawal completed')
  })

  test('of a node without a key are never confirmed', () => {
    const node = startTestNode({ nodeKey: undefined })
    node.rpc('dev.setBalance', { bridge: 'hoodi_tt2', wallet: owner, amount: wei(1) })
    node.must(keys.owner, 'hoodi_tt2_bridge_tokens', owner, wei(1))
    node.rpc('dev.advanceEpoch', { bridge: 'hoodi_tt2' })
    node.rpc('dev.mine', { blocks: 5 })
    expect(proofs(node, owner)).toEqual([])
  })
})

describe('buildTree()', () => {
  test('has a proof of every leaf for every number of leaves up to 33', () => {
    for (let count = 1; count <= 33; count++) {
      const leaves = Array.from({ length: count }, (_, index) => new Uint8Array(32).fill(index * 7 + 1))
      const tree = buildTree(leaves)
      expect(tree).toHaveLength(2 * count - 1)
      for (const leaf of leaves) expect(computeRoot(leaf, makeProof(tree, leaf))).toEqual(treeRoot(tree))
    }
  })

  test("has the root of OpenZeppelin's own example", () => {
    // The tree in the readme of @openzeppelin/merkle-tree: two leaves of (address, uint256).
    const leaves = [
      'eb02c421cfa48976e66dfb29120745909ea3a0f843456c263cf8f1253483e283',
      'b92c48e9d7abe27fd8dfd6b5dfdbfb1c9a463f80c712b66f3a5180a090cccafc',
    ].map(decodeHex)
    expect(encodeHex(treeRoot(buildTree(leaves)))).toBe(
      'd4dee0beab2d53f2cc83e567171bd2820e49898130a22622b10ead383e90bd77',
    )
  })
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
    expect([balanceOf(node, owner), history(node, owner).length]).toEqual(['5', 1])
  })

  test('credits a wallet, and its history says where from', () => {
    const node = startTestNode({ profile: profiles.head })
    const from = `0x${'4A'.repeat(20)}`
    const params = { bridge: 'testnet_c', wallet: owner, amount: '5', from }
    expect(() => node.rpc('dev.deposit', params)).toThrow('bridge is "testnet_c", expected one of eth_main')
    const given = { ...params, bridge: 'testnet_b', external_tx_hash: 'cd'.repeat(32), external_block_height: 9 }
    node.rpc('dev.deposit', given)
    expect(node.rpc('dev.deposit', { ...given, external_tx_hash: 'ce'.repeat(32) })).toEqual({ balance: '10' })
    const rows = history(node, owner)
    expect(rows).toHaveLength(2)
    expect(encodeHex(rows[0]?.[2] as Uint8Array)).toBe('4a'.repeat(20))
    expect(rows[0]?.slice(6)).toEqual(['completed', 1n, expect.any(BigInt), 9n])
  })
})

describe('get_erc20_bridge_info', () => {
  test('returns the settings of a bridge', () => {
    const [row] = startTestNode().view('hoodi_tt2_get_erc20_bridge_info', [])
    expect(row?.slice(0, 3)).toEqual(['hoodi', '0x80D9B3b6941367917816d36748C88B303f7F1415', '10m0s'])
    expect(row?.slice(4)).toEqual([18n, '0', true, 1_760_000_000n, true])
  })

  test("on today's network returns the height at which the bridge was added", () => {
    const [row] = startTestNode({ profile: profiles.head }).view('hoodi_tt2_get_erc20_bridge_info', [])
    expect(row?.slice(6)).toEqual([true, 1n, true])
  })
})

describe('get_ordered_balances', () => {
  test('lists the richest or the poorest, from a balance on, fifty at most', () => {
    const node = startTestNode()
    for (const [index, { address }] of wallets.entries()) {
      node.rpc('dev.setBalance', { bridge: 'hoodi_tt2', wallet: address, amount: `${index * 10}` })
    }
    const list = (...args: readonly ActionArg[]) =>
      node.view('get_ordered_balances', args).map(([, balance]) => balance)
    expect(list('USDC', false, 3)).toEqual(['60', '50', '40'])
    expect(list('usdc', true, 2, numeric('15', 78, 0))).toEqual(['20', '30'])
    expect(list('usdc', false, -1)).toEqual(['60'])
    expect(list('TRUF')).toEqual([])
    expect(() => list('DAI')).toThrow('unsupported token (want TRUF or USDC): DAI')
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
