/** Alarms as an operator sees them: newest first, each until it is acknowledged. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Alarm } from '#grid/contract/grid.ts'
import { Button, Empty, State } from '../frame/components.tsx'
import { time } from '../frame/time.ts'
import { alarmKey } from './live-grid.ts'

/** Rows that are drawn at first; older ones are behind a button. */
const firstRows = 12

/** The list. Acknowledging is the page's own: the simulation keeps every alarm. */
export function Alarms({ alarms }: { readonly alarms: readonly Alarm[] }): JSX.Element {
  const [seen, setSeen] = useState<ReadonlySet<string>>(new Set())
  const [isWhole, setWhole] = useState(false)
  const newest = [...alarms].reverse()
  const waiting = newest.filter((alarm) => !seen.has(alarmKey(alarm)))
  if (newest.length === 0) {
    return (
      <Empty title="No alarm">
        <p>The control centre raises one when what it measures does not fit.</p>
      </Empty>
    )
  }
  return (
    <>
      <div class="row">
        <State tone={waiting.length > 0 ? 'bad' : 'normal'}>
          {waiting.length === 0 ? 'All acknowledged' : `${waiting.length} not acknowledged`}
        </State>
        {waiting.length > 0 ? (
          <Button onClick={() => setSeen(new Set(newest.map(alarmKey)))}>Acknowledge all</Button>
        ) : null}
      </div>
      <ul class="alarms">
        {newest.slice(0, isWhole ? newest.length : firstRows).map((alarm) => {
          const key = alarmKey(alarm)
          const isNew = !seen.has(key)
          return (
            <li key={key} class={isNew ? 'new' : ''}>
              <time>{time(alarm.timestamp * 1000)}</time>
              <span>
                <b>{alarm.where}</b> {alarm.text} <small>{alarm.detector.replaceAll('_', ' ')}</small>
              </span>
              {isNew ? (
                <Button
                  onClick={() => setSeen(new Set([...seen, key]))}
                  label={`Acknowledge ${alarm.detector} at ${alarm.where}`}
                >
                  Acknowledge
                </Button>
              ) : null}
            </li>
          )
        })}
      </ul>
      {newest.length > firstRows && !isWhole ? (
        <Button onClick={() => setWhole(true)}>Show all {newest.length}</Button>
      ) : null}
    </>
  )
}
