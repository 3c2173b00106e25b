/** The views of a session's grid: the diagram with the comparison beside it, trends, events and alarms. */

import type { ComponentChildren, JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Button, Panel, Problem } from '../frame/components.tsx'
import { Toggles } from '../frame/fields.tsx'
import { useAction } from '../frame/resource.ts'
import { route, setQuery } from '../frame/router.ts'
import { Alarms } from './alarms.tsx'
import { Comparison } from './comparison.tsx'
import { Diagram } from './diagram/diagram.tsx'
import type { Shown } from './diagram/shape.ts'
import type { LiveGrid } from './live-grid.ts'
import type { GridPlan } from './plan.ts'
import { order } from './requests.ts'
import { Restoration } from './restoration.tsx'
import { Taps } from './taps.tsx'
import { Trends } from './trends.tsx'
import { Zoom } from './zoom.tsx'

const contents = [
  ['true', 'True'],
  ['measured', 'Measured'],
  ['estimated', 'Estimated'],
  ['difference', 'Difference'],
] as const

/** The contents that the control centre has itself: a trainee sees no others. */
const traineeContents = contents.filter(([shown]) => shown === 'measured' || shown === 'estimated')

const explain: Readonly<Record<Shown, string>> = {
  true: 'What the grid does. Line width is loading, a hollow square an open breaker; click one to switch it.',
  measured: 'What arrived at the control centre last.',
  estimated: 'What the control centre estimates from its last scan.',
  difference: 'How far the estimate is from the truth: the gap is the attack.',
}

interface ViewsProps {
  readonly plan: GridPlan
  readonly grid: LiveGrid
  readonly base: string
  readonly isTrainee: boolean
  /** Incidents, or messages. */
  readonly children: ComponentChildren
}

/** Every view of the grid; the address has the content of the diagram and the bus that is looked at. */
export function Views({ plan, grid, base, isTrainee, children }: ViewsProps): JSX.Element {
  const { query } = route.value
  const offered = isTrainee ? traineeContents : contents
  const shown: Shown = offered.find(([value]) => value === query.get('show'))?.[0] ?? offered[0]?.[0] ?? 'true'
  const bus = plan.buses.find(({ id }) => String(id) === query.get('bus'))?.id ?? plan.buses.at(-1)?.id ?? 1
  const select = (id: number) => setQuery({ bus: String(id) })
  const { problem, operate } = useBreakers(base)
  return (
    <>
      <div class="row">
        <Toggles options={offered} value={shown} onValue={(show) => setQuery({ show })} />
        <span class="quiet">{explain[shown]}</span>
      </div>
      {problem}
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
          {/* A copy, because the list changes in place. */}
          <Alarms base={base} alarms={[...grid.alarms]} />
        </Panel>
      </div>
      <Taps base={base} branches={plan.branches} />
    </>
  )
}

/** The switching of breakers; where one cannot be closed at once, its problem offers to close it in synchronism. */
function useBreakers(base: string) {
  const { error, run } = useAction()
  const [tie, setTie] = useState<string | null>(null)
  const operate = (breaker: string, closed: boolean) => {
    setTie(closed ? breaker : null)
    run(() => order(base, 'grid/breaker', { breaker, closed }))
  }
  const problem = (
    <>
      <Problem error={error} />
      {tie !== null && error?.status === 409 ? (
        <Button onClick={() => run(() => order(base, 'grid/join', { breaker: tie }))}>
          Close {tie} in synchronism
        </Button>
      ) : null}
    </>
  )
  return { problem, operate }
}
