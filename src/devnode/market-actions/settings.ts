/** Actions that read and change the settings of settlement and of the sampling of liquidity. */

import { type Action, change, columns, listing, row, view } from '../actions/action.ts'
import { assertNetworkWriter } from '../actions/checks.ts'
import { actionError, requireColumn } from '../errors.ts'
import {
  putMarketSettings,
  type RewardSettings,
  readMarketSettings,
  type SettlementSettings,
} from '../state/market-settings.ts'

const settlement = columns<SettlementSettings>({
  enabled: ['BOOL', (one) => one.isEnabled],
  settlement_schedule: ['TEXT', (one) => one.schedule],
  max_markets_per_run: ['INT', (one) => one.maxMarkets],
  retry_attempts: ['INT', (one) => one.retries],
  updated_at: ['INT8', (one) => one.updatedAt],
})
const sampling = columns<RewardSettings>({
  enabled: ['BOOL', (one) => one.isEnabled],
  sampling_interval_blocks: ['INT', (one) => one.intervalBlocks],
  max_markets_per_run: ['INT', (one) => one.maxMarkets],
})

/** The network's names of its two tables, which the errors of its database repeat. */
const settlementTable = 'settlement_config'
const rewardTable = 'lp_rewards_config'

const mostMarkets = 1000n
const mostRetries = 10n

/** The network's actions on the settings of markets. */
export const marketSettingActions: readonly Action[] = [
  listing('get_settlement_config', {}, settlement, ({ store }) => [readMarketSettings(store, 'settlement')]),
  change(
    'update_settlement_config',
    { enabled: 'BOOL', schedule: 'TEXT', max_markets_per_run: 'INT', retry_attempts: 'INT' },
    (context, { enabled, schedule, max_markets_per_run, retry_attempts }) => {
      assertNetworkWriter(context, 'caller must be a member of system:network_writer role')
      if (enabled === null) throw actionError('enabled cannot be NULL')
      if (schedule === '') throw actionError('schedule cannot be empty')
      assertMost('max_markets_per_run', max_markets_per_run, mostMarkets)
      assertMost('retry_attempts', retry_attempts, mostRetries)
      putMarketSettings(context.store, 'settlement', {
        isEnabled: enabled,
        schedule: requireColumn(schedule, 'settlement_schedule', settlementTable),
        maxMarkets: Number(requireColumn(max_markets_per_run, 'max_markets_per_run', settlementTable)),
        retries: Number(requireColumn(retry_attempts, 'retry_attempts', settlementTable)),
        updatedAt: context.height,
      })
    },
  ),
  view('get_lp_rewards_config', {}, row(sampling.types), ({ store }) => [
    sampling.cells(readMarketSettings(store, 'rewards')),
  ]),
  change(
    'update_lp_rewards_config',
    { enabled: 'BOOL', sampling_interval_blocks: 'INT', max_markets_per_run: 'INT' },
    (context, { enabled, sampling_interval_blocks, max_markets_per_run }) => {
      assertNetworkWriter(context, 'Only network_writer can update LP rewards config')
      if (enabled === null) throw actionError('enabled cannot be NULL')
      if (sampling_interval_blocks !== null && sampling_interval_blocks < 1n) {
        throw actionError('sampling_interval_blocks must be >= 1')
      }
      assertMost('max_markets_per_run', max_markets_per_run, mostMarkets)
      putMarketSettings(context.store, 'rewards', {
        isEnabled: enabled,
        intervalBlocks: Number(requireColumn(sampling_interval_blocks, 'sampling_interval_blocks', rewardTable)),
        maxMarkets: Number(requireColumn(max_markets_per_run, 'max_markets_per_run', rewardTable)),
      })
    },
  ),
]

/** A comparison with null is not true, so null passes here and fails at the table. */
function assertMost(name: string, value: bigint | null, most: bigint): void {
  if (value !== null && (value < 1n || value > most)) {
    throw actionError(`${name} must be between 1 and ${most}`)
  }
}
