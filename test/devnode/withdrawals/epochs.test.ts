import { describe, expect, test } from 'vitest'
import { movementsOf, proofsOf, startFunded, wei } from '../../support/bridges.ts'
import { keys, startTestNode, type TestNode } from '../../support/devnode.ts'

const owner = keys.owner.address

describe('epochs', () => {
  const later = (node: TestNode, seconds: number) => {
    node.rpc('dev.increaseTime', { seconds })
    node.rpc('dev.mine')
  }

  test('end ten minutes after they began, by the time of the chain', () => {
    const node = startFunded()
    node.must(keys.owner, 'hoodi_tt2_bridge_tokens', owner, wei(1))
    later(node, 599)
    expect(proofsOf(node, owner)).toEqual([])
    later(node, 1)
    node.rpc('dev.mine')
    expect(proofsOf(node, owner)).toHaveLength(1)
  })

  test('without a withdrawal wait half an hour for one before they begin again', () => {
    const node = startFunded()
    later(node, 1799)
    node.must(keys.owner, 'hoodi_tt2_bridge_tokens', owner, wei(1))
    node.rpc('dev.mine')
    expect(proofsOf(node, owner)).toHaveLength(1)
    later(node, 1800)
    node.must(keys.owner, 'hoodi_tt2_bridge_tokens', owner, wei(1))
    node.rpc('dev.mine')
    expect(proofsOf(node, owner)).toHaveLength(1)
  })

  test('stay unconfirmed while votes are lost, and hold up the next one', () => {
    const node = startFunded()
    node.must(keys.owner, 'hoodi_tt2_bridge_tokens', owner, wei(1))
    node.rpc('dev.failNext', { error: 'vote_lost', times: 3 })
    node.rpc('dev.advanceEpoch', { bridge: 'hoodi_tt2' })
    node.must(keys.owner, 'hoodi_tt2_bridge_tokens', owner, wei(2))
    later(node, 700)
    expect(movementsOf(node, owner)).toEqual([
      'withdrawal pending_epoch',
      'withdrawal pending_epoch',
      'deposit completed',
    ])
    node.rpc('dev.mine')
    expect(movementsOf(node, owner)).toEqual(['withdrawal pending_epoch', 'withdrawal completed', 'deposit completed'])
    node.rpc('dev.mine')
    expect(movementsOf(node, owner)[0]).toBe('withdrawal completed')
  })

  test('of a node without a key are never confirmed', () => {
    const node = startTestNode({ nodeKey: undefined })
    node.rpc('dev.setBalance', { bridge: 'hoodi_tt2', wallet: owner, amount: wei(1) })
    node.must(keys.owner, 'hoodi_tt2_bridge_tokens', owner, wei(1))
    node.rpc('dev.advanceEpoch', { bridge: 'hoodi_tt2' })
    node.rpc('dev.mine', { blocks: 5 })
    expect(proofsOf(node, owner)).toEqual([])
  })
})
