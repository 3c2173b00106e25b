import { describe, expect, test } from 'vitest'
import { decodeHex } from '#base/hex.ts'
import { findInactivity } from '#devnode/agents/authorize.ts'
import { profiles } from '#devnode/profiles.ts'
import { agentPayloadType, encodeAgentExecution } from '#streamnet/codec/agent-payload.ts'
import { deriveAgentWallet, deriveRuleId, hashRuleTerms } from '#streamnet/codec/agent-rule.ts'
import { dataType, numeric, toTypedValue } from '#streamnet/codec/value.ts'
import type { SyncSigner } from '#streamnet/signing/sync-signer.ts'
import type { ActionArg } from '#streamnet/types.ts'
import {
  broadcast,
  keys,
  nextNonce,
  signTransaction,
  startTestNode,
  type TestNode,
  testSettings,
} from '../../support/devnode.ts'

const { owner, stranger: agent } = keys
const token = 10n ** 18n
const none = (name: 'text' | 'bytea') => ({ type: dataType(name, true), value: [] })

/** A signer that runs an action as a wallet. */
interface Run {
  readonly node: TestNode
  readonly signer: SyncSigner
  readonly wallet: string
}

/** Sends a transaction of an agent wallet; gives code and log. */
function runAs({ node, signer, wallet }: Run, action: string, ...args: readonly ActionArg[]) {
  const bytes = decodeHex(wallet.slice(2))
  const transaction = signTransaction(signer, {
    chainId: testSettings.chainId,
    nonce: nextNonce(node, signer),
    payload: encodeAgentExecution({ wallet: bytes, namespace: 'main', action, args: args.map(toTypedValue) }),
    payloadType: agentPayloadType,
  })
  const sent = broadcast(node, transaction)
  const { tx_result } = node.rpc('user.tx_query', sent) as { tx_result: { code: number; log?: string } }
  return { code: tx_result.code, log: tx_result.log ?? '' }
}

/** A node with a rule of these actions and a wallet that has 1000 tokens of each bridge. */
function startWallet(
  fee: { readonly mode: 'bps' | 'flat'; readonly bps?: number; readonly flat?: string },
  allowed: readonly string[],
) {
  const node = startTestNode({ profile: profiles.head })
  const { mode, bps = 0, flat = '0' } = fee
  const hashes = { type: dataType('bytea', true), value: allowed.map(() => null) }
  const names = allowed.length === 0 ? [none('text'), none('text')] : [allowed.map(() => 'main'), [...allowed]]
  node.must(agent, 'maa_create_rule', null, mode, bps, numeric(flat, 78, 0), ...names, hashes)
  const terms = { feeMode: mode, feeBps: bps, feeFlat: BigInt(flat) }
  const listed = allowed.map((action) => ({ namespace: 'main', action, bodyHash: null }))
  const ruleId = deriveRuleId(agent.address, hashRuleTerms({ ...terms, allowed: listed }), new Uint8Array())
  node.must(owner, 'maa_join', ruleId)
  const wallet = deriveAgentWallet(owner.address, agent.address, ruleId)
  for (const bridge of ['hoodi_tt', 'hoodi_tt2']) {
    node.rpc('dev.setBalance', { bridge, wallet, amount: `${1000n * token}` })
  }
  const balanceOf = (of: string) => node.view('hoodi_tt2_wallet_balance', [of])[0]?.[0]
  return { node, wallet, ruleId, balanceOf }
}

describe('findInactivity()', () => {
  test.each([
    [0, 5, 'unknown payload type: maa_exec is not activated on this network'],
    [9, 8, 'unknown payload type: maa_exec activates at height 9, current height 8'],
    [9, 9, undefined],
    [1, 2, undefined],
  ])('of height %i says at %i: %s', (activation, height, text) => {
    expect(findInactivity(activation, height)).toBe(text)
  })

  test('is the refusal of a broadcast, which uses no nonce', () => {
    const node = startTestNode({ profile: profiles.head, agentActivationHeight: 0 })
    expect(() => runAs({ node, signer: agent, wallet: owner.address }, 'whoami')).toThrow(
      'is not activated on this network',
    )
    expect(nextNonce(node, agent)).toBe(1)
  })
})

describe('a withdrawal', () => {
  test.each([
    [{ mode: 'bps', bps: 250 }, 19_999n, 500n],
    [{ mode: 'bps', bps: 10_000 }, 7n, 7n],
    [{ mode: 'flat', flat: '100' }, 40n, 40n],
    [{ mode: 'flat', flat: '100' }, 140n, 100n],
    [{ mode: 'bps' }, 3n, 0n],
  ] as const)('with the commission %j of %i pays the agent %i and the owner the rest', (fee, amount, commission) => {
    const { node, wallet, balanceOf } = startWallet(fee, [])
    const gross = numeric(`${amount}`, 78, 0)
    expect(runAs({ node, signer: owner, wallet }, 'maa_withdraw', 'hoodi_tt2', gross)).toEqual({ code: 0, log: '' })
    expect(balanceOf(agent.address)).toBe(`${commission}`)
    expect(balanceOf(owner.address)).toBe(`${amount - commission}`)
    expect(balanceOf(wallet)).toBe(`${1000n * token - amount}`)
  })

  test('of more than the wallet has leaves everything as it was, and its nonce is used', () => {
    const { node, wallet, ruleId, balanceOf } = startWallet({ mode: 'bps', bps: 5000 }, [])
    const outcome = runAs(
      { node, signer: owner, wallet },
      'maa_bridge_out',
      'hoodi_tt2',
      numeric(`${1001n * token}`, 78, 0),
      null,
    )
    expect(outcome).toEqual({ code: 65535, log: 'ERROR: insufficient free balance for withdrawal' })
    expect(balanceOf(agent.address)).toBe('0')
    expect(balanceOf(wallet)).toBe(`${1000n * token}`)
    expect(node.view('maa_get_events', [ruleId, null, null])).toHaveLength(2)
    expect(nextNonce(node, owner)).toBe(3)
  })
})

describe('the agent', () => {
  test('pays fees of the wallet to the leader and moves no token of it elsewhere, at any depth', () => {
    const { node, wallet, balanceOf } = startWallet({ mode: 'bps' }, [
      'create_streams',
      'hoodi_tt2_transfer',
      'hoodi_tt2_bridge_tokens',
      'maa_join_and_fund',
    ])
    expect(runAs({ node, signer: agent, wallet }, 'create_streams', [`st${'0'.repeat(30)}`], ['primitive'])).toEqual({
      code: 0,
      log: '',
    })
    expect(node.view('hoodi_tt_wallet_balance', [wallet])).toEqual([[`${900n * token}`]])
    const text = (operation: string) =>
      `ERROR: ${operation} is not allowed under a restricted agent (MAA) execution: the restricted key cannot move funds out of the agent wallet`
    const moved = runAs({ node, signer: agent, wallet }, 'hoodi_tt2_transfer', agent.address, '1')
    expect(moved).toEqual({ code: 65535, log: text('transfer') })
    expect(runAs({ node, signer: agent, wallet }, 'hoodi_tt2_bridge_tokens', agent.address, '1')).toEqual({
      code: 65535,
      log: text('bridge'),
    })
    expect(balanceOf(wallet)).toBe(`${1000n * token}`)
    expect(runAs({ node, signer: owner, wallet }, 'hoodi_tt2_transfer', owner.address, '1')).toEqual({
      code: 0,
      log: '',
    })
  })

  test('that is not joined, or another wallet, is refused with code 9', () => {
    const { node, wallet } = startWallet({ mode: 'bps' }, ['whoami'])
    expect(runAs({ node, signer: keys.operator, wallet }, 'whoami').code).toBe(9)
    expect(runAs({ node, signer: agent, wallet: owner.address }, 'whoami')).toEqual({
      code: 9,
      log: `ERROR: unknown MAA ${owner.address}: no joined instance`,
    })
    expect(runAs({ node, signer: agent, wallet }, 'whoami')).toEqual({ code: 0, log: '' })
  })
})
