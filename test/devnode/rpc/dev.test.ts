/** Development methods: the bounds of their parameters, each met exactly and passed by one. */

import { expect, test } from 'vitest'
import { startTestNode } from '../../support/devnode.ts'

const century = 100 * 365 * 86_400
const wallet = `0x${'12'.repeat(20)}`
const balance = { bridge: 'hoodi_tt', wallet }
const deposit = { ...balance, amount: '1', external_tx_hash: 'ab'.repeat(32) }

test.each<[method: string, name: string, others: object, taken: unknown[], refused: unknown[]]>([
  ['dev.mine', 'blocks', {}, [1, 1000], [0, 1001]],
  ['dev.setIntervalMining', 'interval_ms', {}, [0, 86_400_000], [-1, 86_400_001]],
  ['dev.increaseTime', 'seconds', {}, [0, century], [-1, century + 1]],
  ['dev.failNext', 'times', { error: 'connection_reset' }, [1, 10_000], [0, 10_001]],
  ['dev.setBalance', 'amount', balance, ['0', '9'.repeat(78)], ['', '9'.repeat(79)]],
  ['dev.deposit', 'external_block_height', deposit, [0, Number.MAX_SAFE_INTEGER], [-1, 2 ** 53]],
])('%s takes %s to its bounds and nothing beyond', (method, name, others, taken, refused) => {
  const call = (value: unknown) => () => startTestNode().rpc(method, { ...others, [name]: value })
  for (const value of taken) expect(call(value)).not.toThrow()
  for (const value of refused) expect(call(value)).toThrow(`${name} is `)
})

test('dev.impersonate takes a hundred wallets, and the last of them again', () => {
  const node = startTestNode()
  const address = (number: number) => `0x${String(number).padStart(40, '0')}`
  for (let number = 0; number < 100; number++) node.rpc('dev.impersonate', { wallet: address(number) })
  expect(() => node.rpc('dev.impersonate', { wallet: address(99) })).not.toThrow()
  expect(() => node.rpc('dev.impersonate', { wallet: address(100) })).toThrow('expected at most 100')
})
