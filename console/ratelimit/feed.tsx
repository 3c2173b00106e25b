/** Decisions as they come: a sample of them, with their values or hashes of them. */

import type { JSX } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { useLive } from '../frame/live.ts'
import { Button, Empty, Panel, State } from '../frame/pieces.tsx'
import { time } from '../frame/time.ts'
import { askHref, type Entry, entriesText } from './usage.ts'

interface Decision {
  readonly at: number
  readonly weight: number
  readonly code: 'OK' | 'OVER_LIMIT'
  readonly request: {
    readonly domain: string
    readonly descriptors: readonly { readonly entries: readonly Entry[] }[]
  }
  readonly outcomes: readonly { readonly rule: string | null; readonly outcome: string }[]
}

/** Decisions that are shown; more is a matter for the log. */
const maxShown = 12

/** The panel. @param domain - null for all. */
export function Feed({ domain }: { readonly domain: string | null }): JSX.Element {
  const [isHashed, setHashed] = useState(false)
  const [isHeld, setHeld] = useState(false)
  const [shown, setShown] = useState<readonly Decision[]>([])
  const serial = useRef(0)
  useLive('ratelimit', `/ratelimit/v1/events?values=${isHashed ? 'hashed' : 'plain'}`, ({ event, data }) => {
    if (event !== 'decision' || isHeld) return
    // The shape is that of the OpenAPI document.
    const decision = JSON.parse(data) as Decision
    serial.current += 1
    if ((domain ?? decision.request.domain) !== decision.request.domain) return
    setShown((before) => [decision, ...before].slice(0, maxShown))
  })
  return (
    <Panel
      title="Decisions as they come"
      actions={
        <>
          <Button isPressed={isHeld} onClick={() => setHeld(!isHeld)}>
            Hold
          </Button>
          <Button isPressed={isHashed} onClick={() => setHashed(!isHashed)}>
            Hash values
          </Button>
        </>
      }
    >
      {shown.length === 0 ? (
        <Empty title="Nothing was decided since this page opened">
          <p>
            A sample of up to 20 decisions a second appears here. <a href="/console">Send one</a> to see it.
          </p>
        </Empty>
      ) : (
        <ol class="feed">
          {shown.map((decision, at) => (
            <FeedLine key={serial.current - at} decision={decision} isHashed={isHashed} />
          ))}
        </ol>
      )}
    </Panel>
  )
}

function FeedLine({
  decision,
  isHashed,
}: {
  readonly decision: Decision
  readonly isHashed: boolean
}): JSX.Element {
  const { at, code, request, outcomes } = decision
  const isShadow = outcomes.some(({ outcome }) => outcome === 'shadow')
  const [first] = request.descriptors
  const rules = outcomes.flatMap(({ rule }) => rule ?? [])
  return (
    <li>
      <time class="quiet mono">{time(at)}</time>
      <State tone={code === 'OVER_LIMIT' ? 'bad' : isShadow ? 'attention' : 'normal'}>
        {code === 'OVER_LIMIT' ? 'refused' : isShadow ? 'shadow' : 'allowed'}
      </State>
      <span class="mono entries">
        {request.domain} {request.descriptors.map(({ entries }) => entriesText(entries)).join(' | ')}
      </span>
      <small>{rules.join(', ') || 'no rule matches'}</small>
      {isHashed || first === undefined ? null : <a href={askHref(request.domain, first.entries)}>Why?</a>}
    </li>
  )
}
