/** Development methods: the bounds of their parameters, each met exactly and passed by one. */

import { expect, test } from 'vitest'
import { startTestNode } from '../../support/devnode.ts'

const century = 100 * 365 * 86_400
const wallet = `0x${'12'.repeat(20)}`
const balance = { bridge: 'hoodi_tt', wallet }
const deposit = { ...balance, amount: '1', external_tx_hash: 'ab'.repeat(32) }

test.each<[string, string, object, readonly [taken: unknown, refused: unknown][]]>([
  [
    'dev.mine',
    'blocks',
    {},
    [
      [1, 0],
      [1000, 1001],
    ],
  ],
  [
    'dev.setIntervalMining',
    'interval_ms',
    {},
    [
      [0, -1],
      [86_400_000, 86_400_001],
    ],
  ],
  [
    'dev.increaseTime',
    'seconds',
    {},
    [
      [0, -1],
      [century, century + 1],
    ],
  ],
  [
    'dev.failNext',
    'times',
    { error: 'connection_reset' },
    [
      [1, 0],
      [10_000, 10_001],
    ],
  ],
  [
    'dev.setBalance',
    'amount',
    balance,
    [
      ['0', ''],
      ['9'.repeat(78), '9'.repeat(79)],
    ],
  ],
  [
    'dev.deposit',
    'external_block_height',
    deposit,
    [
      [0, -1],
      [Number.MAX_SAFE_INTEGER, 2 ** 53],
    ],
  ],
])('%s takes %s to its bounds and nothing beyond', (method, name, others, sides) => {
  for (const [taken, refused] of sides) {
    expect(() => startTestNode().rpc(method, { ...others, [name]: taken })).not.toThrow()
    expect(() => startTestNode().rpc(method, { ...others, [name]: refused })).toThrow(`${name} is `)
  }
})

test('dev.impersonate takes a hundred wallets, and the last of them again', () => {
  const node = startTestNode()
  const address = (number: number) => `0x${String(number).padStart(40, '0')}`
  for (let number = 0; number < 100; number++) node.rpc('dev.impersonate', { wallet: address(number) })
  expect(() => node.rpc('dev.impersonate', { wallet: address(99) })).not.toThrow()
  expect(() => node.rpc('dev.impersonate', { wallet: address(100) })).toThrow('expected at most 100')
})
