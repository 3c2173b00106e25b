/** The state of the grid and the active attacks, in two lines of the first page. */

import type { JSX } from 'preact'
import type { ActiveAttack } from '#grid/contract/attacks.ts'
import type { Simulation } from '#grid/contract/simulation.ts'
import { State } from '../frame/components.tsx'
import { useAnswer } from '../frame/resource.ts'
import { Figures } from './figures.tsx'

/** Run, frequency and load, and each attack with what it is on; nothing before the service has answered. */
export function Summary(): JSX.Element | null {
  const simulation = useAnswer<Simulation>('grid', '/api/v1/simulation', 2_000)
  const attacks = useAnswer<{ active: readonly ActiveAttack[] }>('grid', '/api/v1/attacks/current', 2_000)
  if (simulation.data === undefined) return null
  const { run, grid } = simulation.data
  const active = attacks.data?.active ?? []
  return (
    <>
      <p class="row">
        <State tone={run === 'running' ? 'normal' : 'attention'}>{run}</State>
        <Figures summary={grid ?? {}} />
      </p>
      {active.map((attack) => (
        <p class="row" key={attack.attack_id}>
          <State tone="attention">
            <a href="/console/grid?show=difference">{targetText(attack)}</a>
          </State>
        </p>
      ))}
    </>
  )
}

/** The parameters that say where an attack acts, in the order in which they are looked for. */
const targets = ['bus', 'branch', 'breaker', 'target_link', 'station'] as const

function targetText({ type, params }: ActiveAttack): string {
  const name = targets.find((one) => params[one] !== undefined && params[one] !== '')
  return name === undefined ? type : `${type} on ${name.replace('target_', '')} ${String(params[name])}`
}
