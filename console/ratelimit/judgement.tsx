/** Decisions of edited rules about the requests that were sampled. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { counted } from '#base/naming.ts'
import type { WhatIf } from '#ratelimit/contract/usage.ts'
import { ask } from '../frame/api.ts'
import { Button, Panel, SmallTable, State } from '../frame/components.tsx'
import { Loaded } from '../frame/loaded.tsx'
import { formatNumber } from '../frame/number.ts'
import { useResource } from '../frame/resource.ts'
import { dateTime, time } from '../frame/time.ts'
import type { Files } from './draft.ts'
import { requestText } from './usage.ts'

/** The panel that decides earlier requests by a draft. @param isWrong - The files have mistakes, so that nothing can be decided by them. */
export function JudgementPanel(props: { readonly files: Files; readonly isWrong: boolean }): JSX.Element {
  const { files, isWrong } = props
  const [asked, setAsked] = useState<{ readonly files: Files | null; readonly round: number }>(notAsked)
  return (
    <Panel
      title="What it would have decided"
      actions={
        <Button onClick={() => setAsked({ files, round: asked.round + 1 })} disabled={isWrong}>
          Judge the last requests
        </Button>
      }
    >
      {asked.files === files ? (
        <Judged key={asked.round} files={files} />
      ) : (
        <p class="quiet">Decides the last sampled requests again, by the files above.</p>
      )}
    </Panel>
  )
}

const notAsked = { files: null, round: 0 }

function Judged({ files }: { readonly files: Files }): JSX.Element {
  const judgement = useResource<WhatIf>(
    (signal) => ask('ratelimit', '/ratelimit/v1/what-if', { method: 'POST', body: { files }, signal }),
    'judgement',
  )
  return <Loaded of={judgement}>{(data) => <Judgement judgement={data} />}</Loaded>
}

function Judgement({ judgement }: { readonly judgement: WhatIf }): JSX.Element {
  if (judgement.sampled === 0) return <p class="quiet">No request was sampled yet: send some, then judge again.</p>
  const { sampled, requests, from, to, was, would, changed, changedRequests } = judgement
  return (
    <div class="stack">
      <p class="quiet">
        {counted(sampled, 'sampled request')} of {requests}, from {dateTime(from)} to {time(to)}. Counters begin empty.
      </p>
      <SmallTable
        caption="Requests by decision"
        heads={['Requests', 'running rules', 'these files']}
        rows={(['admitted', 'refused'] as const).map((kind) => [
          kind === 'admitted' ? 'allowed' : kind,
          formatNumber(was[kind]),
          formatNumber(would[kind]),
        ])}
      />
      {changedRequests === 0 ? (
        <State tone="normal">no request would be decided differently</State>
      ) : (
        <>
          <State tone="attention">{counted(changedRequests, 'request')} would be decided differently</State>
          <ul class="changes" aria-label="Requests that would be decided differently">
            {changed.slice(0, 12).map(({ at, request, would: next, wasRule, wouldRule }) => (
              <li key={`${at}${requestText(request)}`}>
                <time class="quiet mono">{time(at)}</time>
                <div>
                  <span class="mono">{requestText(request)}</span>{' '}
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
