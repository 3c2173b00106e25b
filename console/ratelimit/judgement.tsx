/** What other rules would have decided about the requests that were sampled. */

import type { JSX } from 'preact'
import type { ConsoleError } from '../frame/errors.ts'
import { Num, Problem, State } from '../frame/pieces.tsx'
import { dateTime, time } from '../frame/time.ts'
import { type Entry, entriesText } from './usage.ts'

type Code = 'OK' | 'OVER_LIMIT'

interface Verdicts {
  readonly admitted: number
  readonly refused: number
}

/** The answer of the server. */
export interface Judgement {
  readonly sampled: number
  readonly requests: number
  readonly from: number
  readonly to: number
  readonly was: Verdicts
  readonly would: Verdicts
  readonly changedRequests: number
  readonly changed: readonly {
    readonly at: number
    readonly request: {
      readonly domain: string
      readonly descriptors: readonly { readonly entries: readonly Entry[] }[]
    }
    readonly was: Code
    readonly would: Code
    readonly wasRule: string | null
    readonly wouldRule: string | null
  }[]
}

/** The judgement, or how to get one. */
export function JudgementView(props: {
  readonly judgement: Judgement | null
  readonly error: ConsoleError | null
}): JSX.Element {
  const { judgement, error } = props
  if (error !== null) return <Problem error={error} />
  if (judgement === null)
    return <p class="quiet">Decides the last sampled requests again, by the files above.</p>
  if (judgement.sampled === 0)
    return <p class="quiet">No request was sampled yet: send some, then judge again.</p>
  const { sampled, requests, from, to, was, would, changed, changedRequests } = judgement
  return (
    <div class="stack">
      <p class="quiet">
        {sampled === 1 ? '1 sampled request' : `${sampled} sampled requests`} of {requests}, from{' '}
        {dateTime(from)} to {time(to)}. Counters begin empty.
      </p>
      <table>
        <caption class="visually-hidden">Requests by decision</caption>
        <thead>
          <tr>
            <th scope="col">Requests</th>
            <th scope="col" class="num">
              running rules
            </th>
            <th scope="col" class="num">
              these files
            </th>
          </tr>
        </thead>
        <tbody>
          {(['admitted', 'refused'] as const).map((kind) => (
            <tr key={kind}>
              <th scope="row">{kind === 'admitted' ? 'allowed' : 'refused'}</th>
              <td class="num">
                <Num value={was[kind]} />
              </td>
              <td class="num">
                <Num value={would[kind]} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {changedRequests === 0 ? (
        <State tone="normal">no request would be decided differently</State>
      ) : (
        <>
          <State tone="attention">
            {changedRequests === 1 ? '1 request' : `${changedRequests} requests`} would be decided differently
          </State>
          <ul class="changes" aria-label="Requests that would be decided differently">
            {changed.slice(0, 12).map(({ at, request, would: next, wasRule, wouldRule }) => (
              <li key={`${at}${entriesText(request.descriptors[0]?.entries ?? [])}`}>
                <time class="quiet mono">{time(at)}</time>
                <div>
                  <span class="mono">
                    {request.domain}{' '}
                    {request.descriptors.map(({ entries }) => entriesText(entries)).join(' | ')}
                  </span>{' '}
                  {next === 'OVER_LIMIT'
                    ? `would be refused by ${wouldRule}`
                    : `would be allowed; ${wasRule ?? 'a rule'} refuses it now`}
                </div>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}
