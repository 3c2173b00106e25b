/** One counter: its open windows and its block, with what can be done about them. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { KeyReading } from '#ratelimit/contract/counters.ts'
import { ask } from '../frame/api.ts'
import { Button, Empty, Problem, SmallTable, State } from '../frame/components.tsx'
import { Confirm, Sheet } from '../frame/dialog.tsx'
import { Choice } from '../frame/fields.tsx'
import { Loaded } from '../frame/loaded.tsx'
import { formatNumber } from '../frame/number.ts'
import { useAction, useAnswer, useResource } from '../frame/resource.ts'
import { dateTime, duration, now } from '../frame/time.ts'
import { CounterPicture } from './counter-picture.tsx'
import { type LimitLine, limitOf, readLimitsOfKey } from './limits.ts'

/** Seconds of a block. */
const blocks = [
  ['60', '1 minute'],
  ['600', '10 minutes'],
  ['3600', '1 hour'],
  ['86400', '1 day'],
] as const

/** A change of the counter that a person is asked about before it is sent. */
interface Intent {
  readonly title: string
  readonly method: 'PUT' | 'DELETE'
  readonly query: string
  /** The end of the sentence that begins with the requests of the counter. */
  readonly effect: string
}

const reset: Intent = {
  title: 'Reset to zero',
  method: 'DELETE',
  query: '',
  effect: 'is counted from zero: the hits and the block of now are forgotten.',
}

const lift: Intent = {
  title: 'Lift the block',
  method: 'PUT',
  query: '&seconds=0',
  effect: 'is decided by its limit again.',
}

function blockFor(seconds: string): Intent {
  return {
    title: `Block for ${blocks.find(([value]) => value === seconds)?.[1] ?? seconds}`,
    method: 'PUT',
    query: `&seconds=${seconds}`,
    effect: `is refused until ${dateTime(now.peek() + Number(seconds) * 1000)}. The hits that are counted stay.`,
  }
}

/** The inspector of a counter. */
export function CounterSheet({ name, onClose }: { readonly name: string; readonly onClose: () => void }): JSX.Element {
  const path = `/ratelimit/counters?key=${encodeURIComponent(name)}`
  const reading = useAnswer<KeyReading>('ratelimit', path, 2_000)
  const limits = useResource((signal) => readLimitsOfKey(name, signal), `limits of ${name}`, 5_000)
  const [intent, setIntent] = useState<Intent | null>(null)
  const { error, run } = useAction()
  const send = ({ method, query }: Intent) =>
    run(() => ask('ratelimit', path + query, { method, headers: { from: 'console' } }).finally(reading.reload))
  const blockedUntil = findBlockEnd(reading.data)
  return (
    <Sheet title="Counter" onClose={onClose}>
      <div class="stack">
        <p class="mono key">{name}</p>
        <Problem error={error} />
        <Loaded of={reading} rows={4}>
          {(data) => (
            <>
              <BlockState until={blockedUntil} />
              <Windows reading={data} limits={limits.data ?? []} />
            </>
          )}
        </Loaded>
        <Actions isBlocked={blockedUntil !== null} onIntent={setIntent} />
      </div>
      {intent === null ? null : (
        <Confirm
          title={intent.title}
          action={intent.title}
          onConfirm={() => send(intent)}
          onClose={() => setIntent(null)}
        >
          <p>
            Every request that charges <span class="mono">{name}</span> {intent.effect}
          </p>
        </Confirm>
      )}
    </Sheet>
  )
}

/** The end of the block in Unix seconds; null where the counter is not blocked now. */
function findBlockEnd(reading: KeyReading | undefined): number | null {
  const until = reading?.blockedUntil ?? null
  return until !== null && until * 1000 > now.value ? until : null
}

function BlockState({ until }: { readonly until: number | null }): JSX.Element {
  return (
    <p>
      {until === null ? (
        <State tone="normal">not blocked</State>
      ) : (
        <State tone="bad">
          blocked until {dateTime(until * 1000)} ({duration(until - now.value / 1000)})
        </State>
      )}
    </p>
  )
}

function Actions(props: { readonly isBlocked: boolean; readonly onIntent: (intent: Intent) => void }): JSX.Element {
  const { isBlocked, onIntent } = props
  const [seconds, setSeconds] = useState('600')
  return (
    <>
      <div class="row">
        <Choice label="Block for" options={blocks} value={seconds} onValue={setSeconds} />
        <Button kind="danger" onClick={() => onIntent(blockFor(seconds))}>
          {blockFor(seconds).title}
        </Button>
      </div>
      <div class="row">
        <Button onClick={() => onIntent(reset)}>{reset.title}</Button>
        {isBlocked ? <Button onClick={() => onIntent(lift)}>{lift.title}</Button> : null}
      </div>
    </>
  )
}

function Windows(props: { readonly reading: KeyReading; readonly limits: readonly LimitLine[] }): JSX.Element {
  const { reading, limits } = props
  if (reading.counters.length === 0) {
    return (
      <Empty title="No window is open">
        Nothing is counted under this key now. The next request of its caller opens a window.
      </Empty>
    )
  }
  return (
    <>
      <SmallTable
        caption="Open windows"
        heads={['Window', 'Hits', 'Limit', 'Resets in']}
        rows={reading.counters.map((counter) => [
          counter.algorithm ?? (
            <>
              {counter.unit.toLowerCase()} <small>from {dateTime((counter.windowStart ?? 0) * 1000)}</small>
            </>
          ),
          counter.hits,
          formatNumber(limitOf(counter, limits) ?? Number.NaN),
          duration(counter.secondsUntilReset),
        ])}
      />
      {reading.counters.map(({ algorithm = '', ...counter }) => (
        <CounterPicture
          key={algorithm}
          algorithm={algorithm}
          limit={limitOf({ algorithm, ...counter }, limits)}
          {...counter}
        />
      ))}
    </>
  )
}
