import { expect, test } from 'vitest'
import { startTestNode } from '../../support/devnode.ts'

test('a wallet that is named has 40 hex digits, in every read of its orders and positions', () => {
  const node = startTestNode()
  const reads: readonly (readonly [action: string, ...rest: (string | null)[]])[] = [
    ['get_positions_by_wallet'],
    ['get_collateral_by_wallet', 'hoodi_tt2'],
    ['get_order_events_by_wallet'],
  ]
  for (const [action, ...rest] of reads) {
    expect(() => node.view(action, ['0x12', ...rest])).toThrow('wallet_address must be a 20-byte hex address')
    expect(() => node.view(action, ['Z'.repeat(40), ...rest])).toThrow(
      'ERROR: invalid hexadecimal digit: "z" (SQLSTATE 22023)',
    )
    expect(() => node.view(action, [null, ...rest])).not.toThrow()
  }
})
