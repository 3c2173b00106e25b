import { describe, expect, test } from 'vitest'
import { numeric } from '#streamnet/codec/value.ts'
import type { ActionArg } from '#streamnet/types.ts'
import { wallets } from '../../support/bridges.ts'
import { startTestNode } from '../../support/devnode.ts'

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
