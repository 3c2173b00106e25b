/** The room of the grid: the diagram fills the view; trends, incidents and alarms below, attacks in a drawer. */

import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type { ActiveAttack } from '#grid/contract/attacks.ts'
import type { Device } from '#grid/contract/grid.ts'
import type { Simulation } from '#grid/contract/simulation.ts'
import { ask } from '../frame/api.ts'
import { Button, Empty, Problem, Skeleton, State } from '../frame/components.tsx'
import { Sheet } from '../frame/dialog.tsx'
import type { RoomProps } from '../frame/lazy.tsx'
import { useAnswer, useResource } from '../frame/resource.ts'
import { closePart, openPart, route, setQuery } from '../frame/router.ts'
import { useNames } from '../frame/search-index.ts'
import { Attacks } from './attacks.tsx'
import type { Given } from './briefing.tsx'
import { Controls } from './controls.tsx'
import { Exercise } from './exercise.tsx'
import { useEarlierAlarms, useLiveGrid, useReplacement } from './follow.ts'
import { IncidentSheet } from './incident.tsx'
import type { LiveGrid } from './live-grid.ts'
import { Messages } from './messages.tsx'
import { listNames } from './names.ts'
import { type GridPlan, readPlan } from './plan.ts'
import { Timeline } from './timeline.tsx'
import { Views } from './views.tsx'

export { readNames } from './names.ts'

/** The room. */
export function Room(_: RoomProps): JSX.Element {
  const { query } = route.value
  const name = query.get('simulation')
  const base = name === null ? '/api/v1' : `/simulations/${encodeURIComponent(name)}/api/v1`
  const [round, setRound] = useState(0)
  return <Session key={`${base} ${round}`} base={base} onReplaced={() => setRound(round + 1)} />
}

interface SessionProps {
  readonly base: string
  /** Another session runs, and the stream did not say so: it began while the server was away. */
  readonly onReplaced: () => void
}

function Session({ base, onReplaced }: SessionProps): JSX.Element {
  const { query } = route.value
  const isTrainee = query.has('trainee')
  const { key, grid, simulation, topology, active, plan, refresh, reload } = useSession({ base, isTrainee, onReplaced })
  useNames('grid', listNames(plan, query.get('simulation')))
  const error = simulation.error ?? topology.error
  const traffic = isTrainee ? (
    <Messages base={base} session={key} devices={topology.data?.nodes ?? []} />
  ) : (
    <Timeline
      grid={grid}
      open={query.get('incident')}
      onOpen={(id) => openPart({ incident: id, attacks: null, exercise: null })}
    />
  )
  return (
    <div class="stack grid-room">
      <Heading isTrainee={isTrainee} active={active ?? []} />
      <Problem error={error} onRetry={reload} />
      {simulation.data === undefined ? null : (
        <Controls base={base} simulation={simulation.data} grid={grid} onChange={refresh} />
      )}
      {topology.data === undefined && error === undefined ? <Skeleton rows={14} /> : null}
      {plan === undefined ? null : (
        <Views plan={plan} grid={grid} base={base} isTrainee={isTrainee}>
          {traffic}
        </Views>
      )}
      {topology.data === undefined || plan !== undefined ? null : <Outside>{traffic}</Outside>}
      <Sheets base={base} isTrainee={isTrainee} grid={grid} plan={plan} active={active} onChange={refresh} />
    </div>
  )
}

/** Keeps everything known that the room shows of a simulation; `key` is another one for each session. */
function useSession({ base, isTrainee, onReplaced }: SessionProps & { readonly isTrainee: boolean }) {
  const [session, setSession] = useState(0)
  const onSession = () => setSession((before) => before + 1)
  const { grid, live } = useLiveGrid({ base, isTrainee, onSession })
  const key = `${base} ${session}`
  const simulation = useAnswer<Simulation>('grid', `${base}/simulation`, 5_000, session)
  const topology = useAnswer<{ nodes: readonly Device[]; grid?: unknown }>(
    'grid',
    `${base}/topology`,
    undefined,
    session,
  )
  const attacks = useResource(
    async (signal) =>
      isTrainee
        ? { active: [] }
        : ask<{ active: readonly ActiveAttack[] }>('grid', `${base}/attacks/current`, { signal }),
    `${key} attacks ${isTrainee}`,
    2_000,
  )
  useEarlierAlarms(key, base, grid, live)
  useReplacement(key, simulation.data?.session_id, onReplaced)
  const plan = useMemo(() => readPlan(topology.data?.grid), [topology.data])
  const refresh = () => {
    simulation.reload()
    attacks.reload()
  }
  const reload = () => {
    refresh()
    topology.reload()
  }
  return { key, grid, simulation, topology, active: attacks.data?.active, plan, refresh, reload }
}

interface SheetsProps {
  readonly base: string
  readonly isTrainee: boolean
  readonly grid: LiveGrid
  readonly plan: GridPlan | undefined
  /** Undefined while they are not known. */
  readonly active: readonly ActiveAttack[] | undefined
  readonly onChange: () => void
}

/** The drawers that the address opens; a trainee has that of the exercise only. */
function Sheets({ base, isTrainee, grid, plan, active, onChange }: SheetsProps): JSX.Element {
  const { query } = route.value
  const [given, setGiven] = useState<Given>({})
  const incident = isTrainee ? null : query.get('incident')
  return (
    <>
      {query.has('attacks') && !isTrainee ? (
        <Sheet title="Attacks" onClose={() => closePart({ attacks: null })}>
          <Attacks
            base={base}
            lastBus={plan && Math.max(...plan.buses.map(({ id }) => id))}
            active={active}
            at={grid.at}
            onChange={onChange}
          />
        </Sheet>
      ) : null}
      {query.has('exercise') ? (
        <Sheet title="Exercise" onClose={() => closePart({ exercise: null })}>
          <Exercise
            base={base}
            isTrainee={isTrainee}
            given={given}
            onGiven={setGiven}
            onChange={onChange}
            onView={(trainee) => setQuery({ trainee: trainee ? '1' : null })}
          />
        </Sheet>
      ) : null}
      {incident === null ? null : (
        <IncidentSheet
          key={incident}
          base={base}
          id={incident}
          known={grid.incidents.find(({ id }) => id === incident)?.read()}
          onClose={() => closePart({ incident: null })}
        />
      )}
    </>
  )
}

function Heading(props: { readonly isTrainee: boolean; readonly active: readonly ActiveAttack[] }): JSX.Element {
  const { isTrainee, active } = props
  return (
    <header class="row">
      <h1>Grid</h1>
      {active.length === 0 || isTrainee ? null : (
        <State tone="attention">{active.map(({ type }) => type).join(', ')}</State>
      )}
      <span class="row end">
        <Button
          isPressed={isTrainee}
          onClick={() => closePart({ trainee: isTrainee ? null : '1', attacks: null, incident: null })}
        >
          Trainee view
        </Button>
        <Button onClick={() => openPart({ exercise: '1', attacks: null, incident: null })}>Exercise</Button>
        {isTrainee ? null : (
          <Button kind="primary" onClick={() => openPart({ attacks: '1', exercise: null, incident: null })}>
            Attacks
          </Button>
        )}
      </span>
    </header>
  )
}

/** A session that an outside simulator feeds: its messages are here, its grid is not. */
function Outside({ children }: { readonly children: JSX.Element }): JSX.Element {
  return (
    <>
      <Empty title="An outside simulator drives this session">
        It shows its messages here. Choose a case above to give the session back to the engine.
      </Empty>
      {children}
    </>
  )
}
