/** The newest transaction of the stream network, in one line of the first page. */

import type { JSX } from 'preact'
import type { Transactions } from '#gateway/contract/chain.ts'
import { formatNumber } from '../frame/number.ts'
import { duration, now } from '../frame/time.ts'
import { describeTransaction } from './description.ts'
import { useRead } from './gateway.ts'
import { useBlockEvents } from './watch.ts'

/** The height of the chain and its newest transaction; nothing before the service has answered. */
export function Summary(): JSX.Element | null {
  const { data, reload } = useRead<Transactions>('transactions', { limit: 1 })
  useBlockEvents((height) => height !== data?.height && reload())
  if (data === undefined) return null
  const [last] = data.transactions
  return (
    <>
      <p>
        <b class="num">{formatNumber(data.height)}</b> {data.height === 1 ? 'block' : 'blocks'}
      </p>
      {last === undefined ? null : (
        <p>
          {last.hash === null ? (
            describeTransaction(last)
          ) : (
            <a href={`/console/streams/chain?tx=${last.hash}`}>{describeTransaction(last)}</a>
          )}
          {last.time_ms === null ? null : (
            <span class="quiet">, {duration((now.value - last.time_ms) / 1000)} ago</span>
          )}
        </p>
      )}
    </>
  )
}
