/** Start, stop, speed, case and a new session of the simulation. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { ask } from '../frame/api.ts'
import type { ConsoleError } from '../frame/errors.ts'
import { Button, Confirm, Problem, State } from '../frame/pieces.tsx'
import { failureFrom } from '../frame/resource.ts'
import { time } from '../frame/time.ts'
import { Figures } from './figures.tsx'
import type { LiveGrid } from './live-grid.ts'
import type { Simulation } from './shapes.ts'

const cases = ['case9', 'case14', 'case30', 'case39', 'case118']
const speeds = [0.5, 1, 2, 5, 10]

interface ControlsProps {
  readonly base: string
  readonly simulation: Simulation
  readonly grid: LiveGrid
  readonly onChange: () => void
}

/** The line below the title. */
export function Controls({ base, simulation, grid, onChange }: ControlsProps): JSX.Element {
  const [failure, setFailure] = useState<ConsoleError | null>(null)
  const [next, setNext] = useState<string | null>(null)
  const { run, speed } = simulation
  const isRunning = run === 'running'
  const order = (path: string, body?: object) => {
    setFailure(null)
    ask('grid', `${base}/sim/${path}`, { method: 'POST', ...(body !== undefined && { body }) }).then(
      onChange,
      (error) => setFailure(failureFrom(error)),
    )
  }
  return (
    <>
      <div class="controls row">
        <State tone={isRunning ? 'normal' : 'attention'}>{run}</State>
        <span class="num">{time((grid.at || simulation.sim_time) * 1000)}</span>
        <Figures summary={grid.summary} />
        <span class="row end">
          <Button onClick={() => order(isRunning ? 'stop' : 'start')}>{isRunning ? 'Stop' : 'Start'}</Button>
          <label class="row">
            <span class="quiet">Speed</span>
            <select
              value={String(speed)}
              onChange={({ currentTarget }) => order('speed', { speed: Number(currentTarget.value) })}
            >
              {(speeds.includes(speed) ? speeds : [...speeds, speed]).map((one) => (
                <option key={one} value={String(one)}>{`${one}×`}</option>
              ))}
            </select>
          </label>
          <label class="row">
            <span class="quiet">Case</span>
            <select value={simulation.case} onChange={({ currentTarget }) => setNext(currentTarget.value)}>
              {cases.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </label>
          <Button onClick={() => setNext(simulation.case)}>Reset</Button>
        </span>
      </div>
      {failure === null ? null : <Problem error={failure} />}
      {next === null ? null : (
        <Confirm
          title={`Begin a new session of ${next}`}
          action="Begin a new session"
          onConfirm={() => order('config', { mode: 'embedded', case: next })}
          onClose={() => {
            setNext(null)
            onChange()
          }}
        >
          <p>
            Every attack ends, and the simulation forgets its incidents, frames and alarms. Save exports
            first.
          </p>
        </Confirm>
      )}
    </>
  )
}
