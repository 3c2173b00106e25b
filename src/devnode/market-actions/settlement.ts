/** Actions that settle markets, share their fees, and read the shares. */

import { parseDecimal, rescaleDecimal } from '../../base/decimal.ts'
import { type Action, change, columns, listing, row, view } from '../actions/action.ts'
import { assertNetworkWriter, takePage } from '../actions/checks.ts'
import { compare } from '../compare.ts'
import { actionError, nullColumnError } from '../errors.ts'
import { distributeFees } from '../markets/fees.ts'
import { requireMarket } from '../markets/order-checks.ts'
import { settleMarket } from '../markets/settlement.ts'
import { chargeRows } from '../queries/reader.ts'
import {
  type Distribution,
  findDistribution,
  listDistributions,
  listPayments,
  listPaymentsTo,
  type Payment,
} from '../state/market-distributions.ts'
import { listActiveMarkets } from '../state/markets.ts'

const summaries = columns<Distribution>({
  distribution_id: ['INT', (one) => one.id],
  total_lp_fees_distributed: ['NUMERIC(78,0)', (one) => one.liquidityFees],
  total_dp_fees: ['NUMERIC(78,0)', (one) => one.providerFees],
  total_validator_fees: ['NUMERIC(78,0)', (one) => one.validatorFees],
  total_lp_count: ['INT', (one) => one.liquidityCount],
  block_count: ['INT', (one) => one.blockCount],
  distributed_at: ['INT8', (one) => one.time],
})
const payments = columns<Payment>({
  participant_id: ['INT', (one) => one.participant],
  wallet_address: ['TEXT', (one) => one.wallet],
  reward_amount: ['NUMERIC(78,0)', (one) => one.amount],
  total_reward_percent: ['NUMERIC(10,2)', (one) => one.hundredths],
})
const rewards = columns<Payment & Partial<Distribution>>({
  distribution_id: ['INT', (one) => one.distribution],
  query_id: ['INT', (one) => one.market ?? 0],
  reward_amount: ['NUMERIC(78,0)', (one) => one.amount],
  total_reward_percent: ['NUMERIC(10,2)', (one) => one.hundredths],
  distributed_at: ['INT8', (one) => one.time ?? 0],
})

/**
 * The least fees of which an eighth rounds to a unit. From there on the network books the shares under the winning
 * outcome, a column that takes no null: a market without one cannot share them.
 */
const leastBookedFees = 4n

/** The network's actions on settlement and rewards. */
export const marketSettlementActions: readonly Action[] = [
  change('settle_market', { query_id: 'INT' }, (context, { query_id }) => settleMarket(context, query_id)),
  change('trigger_fee_distribution', { query_id: 'INT', total_fees: 'TEXT' }, (context, { query_id, total_fees }) => {
    assertNetworkWriter(context, 'Only network_writer can trigger fee distribution')
    const market = requireMarket(context.store, query_id, `Market not found: ${query_id}`)
    const fees = wholeNumber(total_fees)
    if (market.settlement === undefined && fees >= leastBookedFees) {
      throw nullColumnError('outcome', 'ob_net_impacts')
    }
    distributeFees(context, market, fees)
  }),
  listing('get_distribution_summary', { query_id: 'INT' }, summaries, ({ store, budget }, { query_id }) =>
    chargeRows(budget, listDistributions(store, query_id)),
  ),
  listing('get_distribution_details', { distribution_id: 'INT' }, payments, ({ store, budget }, { distribution_id }) =>
    [...chargeRows(budget, listPayments(store, distribution_id))].sort((left, right) =>
      compare(right.amount, left.amount),
    ),
  ),
  listing('get_participant_reward_history', { wallet_hex: 'TEXT' }, rewards, ({ store, budget }, { wallet_hex }) => {
    const wallet = `0x${(wallet_hex ?? '').replace(/^0x/, '').toLowerCase()}`
    return Array.from(chargeRows(budget, listPaymentsTo(store, wallet)), (payment) => ({
      ...payment,
      ...findDistribution(store, payment.distribution),
    }))
  }),
  view(
    'get_active_markets_for_sampling',
    { limit: 'INT' },
    row({ query_id: 'INT' }),
    ({ store, budget }, { limit }) => {
      if (limit !== null && limit < 1n) throw actionError('limit must be >= 1')
      const active = chargeRows(budget, listActiveMarkets(store))
      return takePage(active, { limit: limit ?? undefined }).map(({ id }) => [BigInt(id)])
    },
  ),
]

/** Text as a whole number, rounded; null is nothing. */
function wholeNumber(text: string | null): bigint {
  if (text === null) return 0n
  try {
    const number = rescaleDecimal(parseDecimal(text), 0)
    if (String(number).length <= 78) return number
  } catch {
    // Refused below, as a number that is too long.
  }
  throw actionError(`Cannot read total_fees: "${text.slice(0, 64)}", expected a number of at most 78 digits`)
}
