/** The room of the grid: the diagram fills the view; trends, incidents and alarms below, attacks in a drawer. */

import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type { ActiveAttack } from '#grid/contract/attacks.ts'
import type { Device } from '#grid/contract/grid.ts'
import type { Simulation } from '#grid/contract/simulation.ts'
import { ask } from '../frame/api.ts'
import { Button, Empty, Panel, Problem, Skeleton, State } from '../frame/components.tsx'
import { Sheet } from '../frame/dialog.tsx'
import { Toggles } from '../frame/fields.tsx'
import type { RoomProps } from '../frame/lazy.tsx'
import { useAction, useAnswer, useResource } from '../frame/resource.ts'
import { closePart, openPart, route, setQuery } from '../frame/router.ts'
import { useNames } from '../frame/search-index.ts'
import { Alarms } from './alarms.tsx'
import { Attacks } from './attacks.tsx'
import type { Given } from './briefing.tsx'
import { Comparison } from './comparison.tsx'
import { Controls } from './controls.tsx'
import { Diagram, type Shown } from './diagram.tsx'
import { Exercise } from './exercise.tsx'
import { useEarlierAlarms, useLiveGrid, useReplacement } from './follow.ts'
import { IncidentSheet } from './incident.tsx'
import type { LiveGrid } from './live-grid.ts'
import { Messages } from './messages.tsx'
import { listNames } from './names.ts'
import { type GridPlan, readPlan } from './plan.ts'
import { order } from './requests.ts'
import { Restoration } from './restoration.tsx'
import { Taps } from './taps.tsx'
import { Timeline } from './timeline.tsx'
import { Trends } from './trends.tsx'
import { Zoom } from './zoom.tsx'

export { readNames } from './names.ts'

const views = [
  ['true', 'True'],
  ['measured', 'Measured'],
  ['estimated', 'Estimated'],
  ['difference', 'Difference'],
] as const

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
  const [session, setSession] = useState(0)
  const [given, setGiven] = useState<Given>({})
  const [grid, live] = useLiveGrid(base, isTrainee, () => setSession((before) => before + 1))
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
  const incident = isTrainee ? null : query.get('incident')
  useNames('grid', listNames(plan))
  const traffic = isTrainee ? (
    <Messages base={base} session={key} devices={topology.data?.nodes ?? []} />
  ) : (
    <Timeline
      grid={grid}
      open={query.get('incident')}
      onOpen={(id) => openPart({ incident: id, attacks: null, exercise: null })}
    />
  )
  const error = simulation.error ?? topology.error
  const refresh = () => {
    simulation.reload()
    attacks.reload()
  }
  return (
    <div class="stack grid-room">
      <Heading isTrainee={isTrainee} active={attacks.data?.active ?? []} />
      <Problem error={error} onRetry={refresh} />
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
      {query.has('attacks') && !isTrainee ? (
        <Sheet title="Attacks" onClose={() => closePart({ attacks: null })}>
          <Attacks
            base={base}
            lastBus={plan && Math.max(...plan.buses.map(({ id }) => id))}
            active={attacks.data?.active}
            at={grid.at}
            onChange={refresh}
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
            onChange={refresh}
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
    </div>
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
        <p>It shows its messages here. Choose a case above to give the session back to the engine.</p>
      </Empty>
      {children}
    </>
  )
}

interface ViewsProps {
  readonly plan: GridPlan
  readonly grid: LiveGrid
  readonly base: string
  readonly isTrainee: boolean
  /** Incidents, or messages. */
  readonly children: JSX.Element
}

function Views({ plan, grid, base, isTrainee, children }: ViewsProps): JSX.Element {
  const { query } = route.value
  const offered = isTrainee ? views.slice(1, 3) : views
  const shown: Shown = offered.find(([value]) => value === query.get('show'))?.[0] ?? offered[0]?.[0] ?? 'true'
  const bus = plan.buses.find(({ id }) => String(id) === query.get('bus'))?.id ?? plan.buses.at(-1)?.id ?? 1
  const select = (id: number) => setQuery({ bus: String(id) })
  const { error, run } = useAction()
  const [tie, setTie] = useState<string | null>(null)
  const operate = (breaker: string, closed: boolean) => {
    setTie(closed ? breaker : null)
    return run(() => order(base, 'grid/breaker', { breaker, closed }))
  }
  return (
    <>
      <div class="row">
        <Toggles options={offered} value={shown} onValue={(show) => setQuery({ show })} />
        <span class="quiet">{explain[shown]}</span>
      </div>
      <Problem error={error} />
      {tie !== null && error?.status === 409 ? (
        <Button onClick={() => run(() => order(base, 'grid/join', { breaker: tie }))}>
          Close {tie} in synchronism
        </Button>
      ) : null}
      {isTrainee ? null : <Restoration base={base} layers={grid.layers} />}
      <div class={isTrainee ? '' : 'beside'}>
        <Zoom>
          <Diagram plan={plan} layers={grid.layers} shown={shown} selected={bus} onSelect={select} onSwitch={operate} />
        </Zoom>
        {isTrainee ? null : <Comparison buses={plan.buses} layers={grid.layers} onSelect={select} />}
      </div>
      <Trends grid={grid} bus={bus} isTrainee={isTrainee} />
      <div class="columns">
        <Panel title={isTrainee ? 'Messages' : 'Incidents'}>{children}</Panel>
        <Panel title="Alarms">
          <Alarms base={base} alarms={[...grid.alarms]} />
        </Panel>
      </div>
      <Taps base={base} branches={plan.branches} />
    </>
  )
}

const explain: Readonly<Record<Shown, string>> = {
  true: 'What the grid does. Line width is loading, a hollow square an open breaker; click one to switch it.',
  measured: 'What arrived at the control centre last.',
  estimated: 'What the control centre estimates from its last scan.',
  difference: 'How far the estimate is from the truth: the gap is the attack.',
}
