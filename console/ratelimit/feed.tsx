/** Decisions as they come: a sample of them, with their values or hashes of them. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Button, Empty, Panel, State } from '../frame/components.tsx'
import { useLive } from '../frame/live.ts'
import { time } from '../frame/time.ts'
import { type Decision, type ListedDecision, withNewest } from './decisions.ts'
import { isShown } from './gate.ts'
import { askHref, requestText } from './usage.ts'

/** The panel of decisions as they are made. @param domain - null for all. */
export function Feed({ domain }: { readonly domain: string | null }): JSX.Element {
  const [isHashed, setHashed] = useState(false)
  const [isHeld, setHeld] = useState(false)
  const [shown, setShown] = useState<readonly ListedDecision[]>([])
  const path = `/ratelimit/v1/events?values=${isHashed ? 'hashed' : 'plain'}`
  const live = useLive('ratelimit', path, ({ event, data }) => {
    if (event !== 'decision' || isHeld) return
    // The shape is that of the OpenAPI document.
    const decision = JSON.parse(data) as Decision
    if (isShown(decision.request.domain, domain)) setShown((before) => withNewest(before, decision))
  })
  const toggleHash = () => {
    setHashed(!isHashed)
    // Those that are listed have their values in the other form.
    setShown([])
  }
  // Decisions of other domains are from before the domain was chosen.
  const listed = shown.filter(({ request }) => isShown(request.domain, domain))
  return (
    <Panel
      title="Decisions as they come"
      actions={
        <>
          <Button isPressed={isHeld} onClick={() => setHeld(!isHeld)}>
            Hold
          </Button>
          <Button isPressed={isHashed} onClick={toggleHash}>
            Hash values
          </Button>
        </>
      }
    >
      {listed.length === 0 ? (
        <NoDecisions isLive={live === 'live'} />
      ) : (
        <ol class="feed">
          {listed.map((decision) => (
            <FeedLine key={decision.serial} decision={decision} isHashed={isHashed} />
          ))}
        </ol>
      )}
    </Panel>
  )
}

function NoDecisions({ isLive }: { readonly isLive: boolean }): JSX.Element {
  if (!isLive) return <p class="quiet">Decisions appear here once the page is connected.</p>
  return (
    <Empty title="Nothing was decided since this page opened">
      A sample of up to 20 decisions a second appears here. <a href="/console">Send one</a> to see it.
    </Empty>
  )
}

function FeedLine(props: { readonly decision: Decision; readonly isHashed: boolean }): JSX.Element {
  const { at, code, request, outcomes } = props.decision
  const isShadow = outcomes.some(({ outcome }) => outcome === 'shadow')
  const [first] = request.descriptors
  const rules = outcomes.flatMap(({ rule }) => rule ?? [])
  return (
    <li>
      <time class="quiet mono">{time(at)}</time>
      <State tone={code === 'OVER_LIMIT' ? 'bad' : isShadow ? 'attention' : 'normal'}>
        {code === 'OVER_LIMIT' ? 'refused' : isShadow ? 'shadow' : 'allowed'}
      </State>
      <span class="mono entries">{requestText(request)}</span>
      <small>{rules.join(', ') || 'no rule matches'}</small>
      {props.isHashed || first === undefined ? null : <a href={askHref(request.domain, first.entries)}>Why?</a>}
    </li>
  )
}
