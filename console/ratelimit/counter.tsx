/** One counter: its open windows and its block, with what can be done about them. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { ask } from '../frame/api.ts'
import type { ConsoleError } from '../frame/errors.ts'
import { Button, Confirm, Empty, Problem, Sheet, Skeleton, State } from '../frame/pieces.tsx'
import { failureFrom, useResource } from '../frame/resource.ts'
import { dateTime, duration, now } from '../frame/time.ts'
import type { KeyReading } from './usage.ts'

const blocks = [
  { seconds: 60, label: '1 minute' },
  { seconds: 600, label: '10 minutes' },
  { seconds: 3_600, label: '1 hour' },
  { seconds: 86_400, label: '1 day' },
] as const

/** What is about to be done. */
type Intent = 'reset' | 'block' | 'lift'

/** The inspector of a counter. */
export function CounterSheet(props: { readonly name: string; readonly onClose: () => void }): JSX.Element {
  const { name } = props
  const path = `/ratelimit/counters?key=${encodeURIComponent(name)}`
  const reading = useResource<KeyReading>((signal) => ask('ratelimit', path, { signal }), path, 2_000)
  const [seconds, setSeconds] = useState<number>(600)
  const [intent, setIntent] = useState<Intent | null>(null)
  const [failure, setFailure] = useState<ConsoleError | null>(null)
  const blockLabel = blocks.find((block) => block.seconds === seconds)?.label ?? `${seconds} s`
  const run = async (method: 'PUT' | 'DELETE', query: string) => {
    setFailure(null)
    try {
      await ask('ratelimit', path + query, { method, headers: { from: 'console' } })
    } catch (error) {
      setFailure(failureFrom(error))
    }
    reading.reload()
  }
  const blockedUntil = reading.data?.blockedUntil ?? null
  const isBlocked = blockedUntil !== null && blockedUntil * 1000 > now.value
  return (
    <Sheet title="Counter" onClose={props.onClose}>
      <div class="stack">
        <p class="mono key">{name}</p>
        {failure === null ? null : <Problem error={failure} />}
        {reading.data === undefined ? (
          reading.error === undefined ? (
            <Skeleton rows={4} />
          ) : (
            <Problem error={reading.error} onRetry={reading.reload} />
          )
        ) : (
          <>
            <p>
              {isBlocked ? (
                <State tone="bad">
                  blocked until {dateTime(blockedUntil * 1000)} ({duration(blockedUntil - now.value / 1000)})
                </State>
              ) : (
                <State tone="normal">not blocked</State>
              )}
            </p>
            <Windows reading={reading.data} />
          </>
        )}
        <div class="row">
          <label class="row">
            <span class="quiet">Block for</span>
            <select value={seconds} onChange={({ currentTarget }) => setSeconds(Number(currentTarget.value))}>
              {blocks.map((block) => (
                <option key={block.seconds} value={block.seconds}>
                  {block.label}
                </option>
              ))}
            </select>
          </label>
          <Button kind="danger" onClick={() => setIntent('block')}>
            Block for {blockLabel}
          </Button>
        </div>
        <div class="row">
          <Button onClick={() => setIntent('reset')}>Reset to zero</Button>
          {isBlocked ? <Button onClick={() => setIntent('lift')}>Lift the block</Button> : null}
        </div>
      </div>
      {intent === 'block' ? (
        <Confirm
          title={`Block for ${blockLabel}`}
          action={`Block for ${blockLabel}`}
          onConfirm={() => void run('PUT', `&seconds=${seconds}`)}
          onClose={() => setIntent(null)}
        >
          <p>
            Every request that charges <span class="mono">{name}</span> is refused until{' '}
            {dateTime(now.peek() + seconds * 1000)}. The hits that are counted stay.
          </p>
        </Confirm>
      ) : null}
      {intent === 'reset' ? (
        <Confirm
          title="Reset to zero"
          action="Reset to zero"
          onConfirm={() => void run('DELETE', '')}
          onClose={() => setIntent(null)}
        >
          <p>
            The hits and the block of <span class="mono">{name}</span> are forgotten: its caller may begin
            anew at once.
          </p>
        </Confirm>
      ) : null}
      {intent === 'lift' ? (
        <Confirm
          title="Lift the block"
          action="Lift the block"
          onConfirm={() => void run('PUT', '&seconds=0')}
          onClose={() => setIntent(null)}
        >
          <p>
            Requests that charge <span class="mono">{name}</span> are decided by its limit again.
          </p>
        </Confirm>
      ) : null}
    </Sheet>
  )
}

function Windows({ reading }: { readonly reading: KeyReading }): JSX.Element {
  if (reading.counters.length === 0) {
    return (
      <Empty title="No window is open">
        <p>Nothing is counted under this key now. The next request of its caller opens a window.</p>
      </Empty>
    )
  }
  return (
    <table class="windows">
      <caption class="visually-hidden">Open windows</caption>
      <thead>
        <tr>
          <th scope="col">Window</th>
          <th scope="col" class="num">
            Hits
          </th>
          <th scope="col" class="num">
            Resets in
          </th>
        </tr>
      </thead>
      <tbody>
        {reading.counters.map(({ unit, hits, windowStart, secondsUntilReset }) => (
          <tr key={unit}>
            <th scope="row">
              {unit.toLowerCase()} <small>from {dateTime(windowStart * 1000)}</small>
            </th>
            <td class="num">{hits}</td>
            <td class="num">{duration(secondsUntilReset)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
