/** Alarms as an operator sees them: newest first, each until it is acknowledged. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Button, Empty, Problem, State, type Tone } from '../frame/components.tsx'
import { useAction } from '../frame/resource.ts'
import { time } from '../frame/time.ts'
import type { AnyAlarm } from './live-grid.ts'
import { order } from './requests.ts'

/** Rows that are drawn at first; older ones are behind a button. */
const firstRows = 12

const tones: Readonly<Record<AnyAlarm['priority'], Tone>> = { medium: 'normal', high: 'attention', critical: 'bad' }

/** The list. The simulation stores acknowledgments: every operator sees them. */
export function Alarms({ base, alarms }: { readonly base: string; readonly alarms: readonly AnyAlarm[] }): JSX.Element {
  const { error, run } = useAction()
  const [isWhole, setWhole] = useState(false)
  const newest = [...alarms].reverse()
  const waiting = newest.filter(({ acknowledged }) => !acknowledged)
  if (newest.length === 0) {
    return (
      <Empty title="No alarm">
        The control centre raises one when what it measures does not fit, or is beyond a limit.
      </Empty>
    )
  }
  const acknowledge = (body: { readonly numbers?: readonly number[] }) =>
    run(() => order(base, 'grid/acknowledge', body))
  return (
    <>
      <Problem error={error} />
      <div class="row">
        <State tone={waiting.length > 0 ? 'bad' : 'normal'}>
          {waiting.length === 0 ? 'All acknowledged' : `${waiting.length} not acknowledged`}
        </State>
        {waiting.length > 0 ? <Button onClick={() => acknowledge({})}>Acknowledge all</Button> : null}
      </div>
      <ul class="alarms">
        {newest.slice(0, isWhole ? newest.length : firstRows).map((alarm) => (
          <AlarmLine key={alarm.number} alarm={alarm} onAcknowledge={() => acknowledge({ numbers: [alarm.number] })} />
        ))}
      </ul>
      {newest.length > firstRows && !isWhole ? (
        <Button onClick={() => setWhole(true)}>Show all {newest.length}</Button>
      ) : null}
    </>
  )
}

function AlarmLine(props: { readonly alarm: AnyAlarm; readonly onAcknowledge: () => void }): JSX.Element {
  const { alarm, onAcknowledge } = props
  const { timestamp, where, text, priority, acknowledged } = alarm
  const kind = 'detector' in alarm ? alarm.detector.replaceAll('_', ' ') : 'limit'
  return (
    <li class={acknowledged ? '' : 'new'}>
      <time>{time(timestamp * 1000)}</time>
      <span>
        <State tone={tones[priority]}>{priority}</State> <b>{where}</b> {text} <small>{kind}</small>
      </span>
      {acknowledged ? null : (
        <Button onClick={onAcknowledge} label={`Acknowledge ${kind} at ${where}`}>
          Acknowledge
        </Button>
      )}
    </li>
  )
}
