/** The latest decisions of the rate limiter, in two lines of the first page. */

import type { JSX } from 'preact'
import type { KeyCount } from '#ratelimit/contract/usage.ts'
import { Sparkline, State } from '../frame/components.tsx'
import { formatNumber } from '../frame/number.ts'
import { useResource } from '../frame/resource.ts'
import { shownTop, shownUsage } from './gate.ts'
import { computeRates, sumDecisions, sumRequests } from './rates.ts'
import { entriesText, readTop, readUsage, spans } from './usage.ts'

/** The shortest time that can be looked at. */
const [span] = spans

/** Requests of the last two minutes, and the key that was refused most; nothing before the service has answered. */
export function Summary(): JSX.Element | null {
  const usage = useResource((signal) => readUsage(span, null, signal), 'usage', 2_000)
  const top = useResource((signal) => readTop(span, null, signal), 'top', 2_000)
  if (usage.data === undefined) return null
  const shown = shownUsage(usage.data, null)
  const { admitted, refused, shadow } = sumDecisions(shown, '')
  const requests = admitted + refused + shadow
  return (
    <>
      <p class="row">
        <span>
          <b class="num">{formatNumber(requests)}</b> {requests === 1 ? 'request' : 'requests'} in the last {span.label}
        </span>
        {requests === 0 ? null : (
          <Sparkline values={sumRequests(computeRates(shown, ''))} label={`Requests a second, last ${span.label}`} />
        )}
      </p>
      {refused === 0 ? null : <Refused count={refused} most={top.data && shownTop(top.data, null).refused[0]} />}
    </>
  )
}

function Refused({ count, most }: { readonly count: number; readonly most: KeyCount | undefined }) {
  return (
    <p class="row">
      <State tone="bad">{formatNumber(count)} refused</State>
      {most === undefined ? null : (
        <span>
          most of all{' '}
          <a class="mono" href={`/console/ratelimit?span=${span.name}&key=${encodeURIComponent(most.key)}`}>
            {entriesText(most.label.entries)}
          </a>
        </span>
      )}
    </p>
  )
}
