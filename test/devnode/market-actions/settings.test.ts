import { describe, expect, test } from 'vitest'
import { keys, namedRows } from '../../support/devnode.ts'
import { startMarketNode, trader } from '../../support/markets.ts'

describe('update_settlement_config and update_lp_rewards_config', () => {
  const node = startMarketNode(['A'])
  const writers = 'caller must be a member of system:network_writer role'

  test.each([
    ['update_settlement_config', 'A', [true, '* * * * *', 1, 1], writers],
    ['update_settlement_config', 'owner', [null, '* * * * *', 1, 1], 'enabled cannot be NULL'],
    ['update_settlement_config', 'owner', [true, '', 1, 1], 'schedule cannot be empty'],
    ['update_settlement_config', 'owner', [true, 'x', 0, 1], 'max_markets_per_run must be between 1 and 1000'],
    ['update_settlement_config', 'owner', [true, 'x', 1, 11], 'retry_attempts must be between 1 and 10'],
    [
      'update_settlement_config',
      'owner',
      [true, null, 1, 1],
      'null value in column "settlement_schedule" of relation "settlement_config" violates not-null constraint (SQLSTATE 23502)',
    ],
    ['update_lp_rewards_config', 'A', [true, 1, 1], 'Only network_writer can update LP rewards config'],
    ['update_lp_rewards_config', 'owner', [null, 1, 1], 'enabled cannot be NULL'],
    ['update_lp_rewards_config', 'owner', [true, 0, 1], 'sampling_interval_blocks must be >= 1'],
    ['update_lp_rewards_config', 'owner', [true, 1, 1001], 'max_markets_per_run must be between 1 and 1000'],
  ] as const)('%s by %s refuses %s', (action, name, args, text) => {
    const signer = name === 'owner' ? keys.owner : trader(name)
    expect(node.execute(signer, action, args).log.replace(/^ERROR: /, '')).toBe(text)
  })

  test('write what get_settlement_config and get_lp_rewards_config read', () => {
    expect(node.view('get_settlement_config', [])).toEqual([[true, '*/5 * * * *', 1000n, 3n, 0n]])
    expect(node.view('get_lp_rewards_config', [])).toEqual([[true, 50n, 1000n]])
    node.must(keys.owner, 'update_settlement_config', false, '0 * * * *', 5, 2)
    node.must(keys.owner, 'update_lp_rewards_config', false, 10, 20)
    expect(namedRows(node, 'get_settlement_config', [])).toMatchObject([
      { enabled: false, settlement_schedule: '0 * * * *', max_markets_per_run: 5n, retry_attempts: 2n },
    ])
    expect(node.view('get_lp_rewards_config', [])).toEqual([[false, 10n, 20n]])
  })
})
