import { describe, expect, it } from 'vitest'
import { alarmTime, type DutyPlan, performDuties, planDuties } from '#devnode/duties.ts'
import { encodeActionExecution } from '#streamnet/codec/payload.ts'
import { transactionToJson } from '#streamnet/rpc/transaction-json.ts'
import { keys, nextNonce, signTransaction, startTestNode, type TestNode, testSettings } from '../support/devnode.ts'
import { openMarket, publishValue, startMarketNode, token } from '../support/markets.ts'

const nodeOf = (node: TestNode, settings = testSettings) => ({ store: node.store, settings, nowMs: node.nowMs })

/** Plans, lets the time of the first duty come, and does it. */
function passTime(node: TestNode, before: DutyPlan = {}): DutyPlan {
  const plan = planDuties(nodeOf(node), before)
  node.nowMs = alarmTime(plan, node.nowMs) ?? node.nowMs
  node.transact((inner) => performDuties(inner, plan))
  return plan
}

const height = (node: TestNode) => (node.rpc('dev.status') as { height: number }).height
const isSettled = (node: TestNode) => node.view('get_market_info', [1])[0]?.includes(true)

function marketNode(overrides = {}) {
  const node = startMarketNode([], overrides)
  node.rpc('dev.setBalance', { bridge: 'hoodi_tt', wallet: keys.operator.address, amount: `${100n * token}` })
  publishValue(node, '42')
  openMarket(node)
  return node
}

describe('planDuties()', () => {
  it('has nothing for an idle node, and then no alarm is needed', () => {
    const node = startMarketNode()
    const plan = planDuties(nodeOf(node), {})
    expect(plan).toEqual({ block: undefined, epochMs: undefined, settlementMs: undefined })
    expect(alarmTime(plan, node.nowMs)).toBeUndefined()
  })

  it('puts what did not fit a full block into further blocks, one at a time', () => {
    const node = startTestNode({ maxReadRows: 2_000 })
    node.rpc('dev.setAutomine', { enabled: false })
    const nonce = nextNonce(node, keys.owner)
    const payload = encodeActionExecution({ namespace: '', action: 'list_streams', calls: [] })
    for (let at = 0; at < 20; at++) {
      const tx = signTransaction(keys.owner, { chainId: testSettings.chainId, nonce: nonce + at, payload })
      node.rpc('user.broadcast', { tx: transactionToJson(tx), sync: 0 })
    }
    const waiting = () => (node.rpc('dev.status') as { waiting: number }).waiting
    node.rpc('dev.setAutomine', { enabled: true })
    // A transaction of one call counts as 140 rows, and a block is full with 1,000.
    expect(waiting()).toBe(20 - 8)
    expect(nextNonce(node, keys.owner)).toBe(nonce + 20)
    expect(passTime(node).block).toEqual({ atMs: node.nowMs, intervalMs: 0 })
    expect(waiting()).toBe(20 - 2 * 8)
    passTime(node)
    expect(waiting()).toBe(0)
    expect(planDuties(nodeOf(node), {}).block).toBeUndefined()
  })

  it('settles a market at two ticks of the schedule: one asks, one pays', () => {
    const node = marketNode()
    const first = passTime(node)
    // 1,760,001,000 is 8:50:00 UTC, a minute that the schedule matches.
    expect(first.settlementMs).toBe(1_760_001_000_000)
    expect(isSettled(node)).toBe(false)
    expect(passTime(node, { ...first, settlementMs: undefined }).settlementMs).toBe(1_760_001_300_000)
    expect(isSettled(node)).toBe(true)
    expect(planDuties(nodeOf(node), {}).settlementMs).toBeUndefined()
  })

  it('keeps a tick that is a little late, as after a restart, and takes the next after a minute', () => {
    const node = marketNode()
    const plan = planDuties(nodeOf(node), {})
    node.nowMs = 1_760_001_030_000
    expect(planDuties(nodeOf(node), plan)).toEqual(plan)
    node.nowMs = 1_760_001_100_000
    expect(planDuties(nodeOf(node), plan).settlementMs).toBe(1_760_001_300_000)
  })

  it('skips the ticks that the clock of the chain is moved over', () => {
    const node = marketNode()
    const plan = planDuties(nodeOf(node), {})
    node.rpc('dev.increaseTime', { seconds: 86_400 })
    const moved = planDuties(nodeOf(node), plan).settlementMs ?? 0
    expect(moved).toBeGreaterThan(node.nowMs)
    expect((moved + 86_400_000) % 300_000).toBe(0)
  })

  it.each([{ settlesMarkets: false }, { nodeKey: undefined }])('settles nothing with %j', (overrides) => {
    const node = marketNode()
    expect(planDuties(nodeOf(node, { ...testSettings, ...overrides }), {}).settlementMs).toBeUndefined()
  })

  it.each([
    [false, '*/5 * * * *'],
    [true, 'soon'],
  ])('settles nothing when the network says enabled %s and "%s"', (enabled, schedule) => {
    const node = marketNode()
    node.rpc('dev.grantRole', { wallet: keys.owner.address })
    node.must(keys.owner, 'update_settlement_config', enabled, schedule, 10, 3)
    expect(planDuties(nodeOf(node), {}).settlementMs).toBeUndefined()
  })

  it('ends an epoch with withdrawals after ten minutes, and has its vote, without any transaction', () => {
    const node = startMarketNode()
    node.must(keys.owner, 'hoodi_tt2_bridge_tokens', null, '5')
    const before = height(node)
    const { epochMs } = passTime(node)
    expect(epochMs).toBe(1_760_000_600_000)
    expect(height(node)).toBe(before + 2)
    expect(node.view('hoodi_tt2_get_withdrawal_proof', [keys.owner.address])).toHaveLength(1)
    expect(planDuties(nodeOf(node), {}).epochMs).toBeUndefined()
  })

  it('makes the blocks of an interval, which an earlier plan has begun', () => {
    const node = startMarketNode()
    node.rpc('dev.setIntervalMining', { interval_ms: 5000 })
    const before = height(node)
    const plan = planDuties(nodeOf(node), {})
    expect(plan.block).toEqual({ atMs: node.nowMs + 5000, intervalMs: 5000 })
    node.nowMs += 1000
    expect(planDuties(nodeOf(node), plan).block).toEqual(plan.block)
    node.transact((inner) => performDuties(inner, plan))
    expect(height(node)).toBe(before + 1)
  })

  it('looks at a duty of the far future again every fifteen days, and does nothing then', () => {
    const node = marketNode()
    const plan = { settlementMs: node.nowMs + 31 * 86_400_000 }
    expect(alarmTime(plan, node.nowMs)).toBe(node.nowMs + 15 * 86_400_000)
    const before = height(node)
    node.transact((inner) => performDuties(inner, plan))
    expect(height(node)).toBe(before)
  })
})
