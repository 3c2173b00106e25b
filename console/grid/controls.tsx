/** The controls of a simulation: start, stop, speed, case and a new session. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Simulation } from '#grid/contract/simulation.ts'
import { Button, Problem, State } from '../frame/components.tsx'
import { Confirm } from '../frame/dialog.tsx'
import { Choice } from '../frame/fields.tsx'
import { useAction } from '../frame/resource.ts'
import { time } from '../frame/time.ts'
import { Figures } from './figures.tsx'
import type { LiveGrid } from './live-grid.ts'
import { order } from './requests.ts'

const cases = ['case9', 'case14', 'case30', 'case39', 'case118']
const speeds = [0.5, 1, 2, 5, 10]

interface ControlsProps {
  readonly base: string
  readonly simulation: Simulation
  readonly grid: LiveGrid
  readonly onChange: () => void
}

/** The line of controls below the title of the page. */
export function Controls({ base, simulation, grid, onChange }: ControlsProps): JSX.Element {
  const action = useAction()
  // The case of the new session while the person is asked about it.
  const [pendingCase, setPendingCase] = useState<string | null>(null)
  const { run, speed } = simulation
  const isRunning = run === 'running'
  // Before the first event only the answer of the service has a time.
  const at = grid.trend.length === 0 ? simulation.sim_time : grid.at
  const send = (path: string, body?: object) => action.run(() => order(base, `sim/${path}`, body).then(onChange))
  return (
    <>
      <div class="controls row">
        <State tone={isRunning ? 'normal' : 'attention'}>{run}</State>
        <span class="num">{time(at * 1000)}</span>
        <Figures summary={grid.summary} />
        <span class="row end">
          <Button onClick={() => send(isRunning ? 'stop' : 'start')}>{isRunning ? 'Stop' : 'Start'}</Button>
          <Choice
            label="Speed"
            options={(speeds.includes(speed) ? speeds : [...speeds, speed]).map((one) => [`${one}`, `${one}×`])}
            value={String(speed)}
            onValue={(value) => send('speed', { speed: Number(value) })}
          />
          <Choice
            label="Case"
            options={[...new Set([...cases, simulation.case])]}
            value={simulation.case}
            onValue={setPendingCase}
          />
          <Button onClick={() => setPendingCase(simulation.case)}>Reset</Button>
        </span>
      </div>
      <Problem error={action.error} />
      {pendingCase === null ? null : (
        <Confirm
          title={`Begin a new session of ${pendingCase}`}
          action="Begin a new session"
          // An imported network stays with the session for as long as no case is set.
          onConfirm={() =>
            send('config', { mode: 'embedded', ...(cases.includes(pendingCase) && { case: pendingCase }) })
          }
          onClose={() => setPendingCase(null)}
        >
          <p>Every attack ends, and the simulation forgets its incidents, frames and alarms. Save exports first.</p>
        </Confirm>
      )}
    </>
  )
}
