/** The single-line diagram: grey while healthy, loading as width, breakers as squares that open. */

import type { JSX } from 'preact'
import { measureGap } from '../gap.ts'
import type { Layers } from '../live-grid.ts'
import { BranchLabel, BranchLine, Breaker } from './branch.tsx'
import { BusBar, BusLabel } from './bus.tsx'
import { type DiagramProps, grouped } from './shape.ts'
import { layOut } from './single-line.ts'

/** The drawing of a grid with its values. */
export function Diagram(props: DiagramProps): JSX.Element {
  const { plan, layers, shown } = props
  const drawing = layOut(plan)
  const layer = shown === 'difference' ? layers.true : layers[shown]
  return (
    <svg
      class={`one-line ${shown}`}
      viewBox={drawing.view}
      {...grouped(`Single-line diagram of ${plan.case}, ${shown} values`)}
    >
      <title>{`Single-line diagram of ${plan.case}`}</title>
      {shown === 'difference' ? drawing.buses.map((bus) => <Halo key={bus.id} {...bus} layers={layers} />) : null}
      {drawing.branches.map((branch) => (
        <BranchLine key={branch.number} branch={branch} layer={layer} {...props} />
      ))}
      {drawing.buses.map((bus) => (
        <BusBar key={bus.id} bus={bus} layer={layer} {...props} />
      ))}
      {drawing.branches.map((branch) => (
        <Breaker key={branch.number} branch={branch} layer={layer} onSwitch={props.onSwitch} />
      ))}
      {drawing.buses.map((bus) => (
        <BusLabel key={bus.id} bus={bus} layer={layer} {...props} />
      ))}
      {drawing.branches.map((branch) => (
        <BranchLabel key={branch.number} branch={branch} layer={layer} {...props} />
      ))}
    </svg>
  )
}

/** A disc whose size is the distance between estimate and truth: the picture of the attack. */
function Halo(props: { readonly id: number; readonly x: number; readonly y: number; readonly layers: Layers }) {
  const { size, severity } = measureGap(props.layers, props.id)
  if (severity === 'normal') return null
  return <circle class={`halo ${severity}`} cx={props.x} cy={props.y} r={14 + Math.min(90, size * 24)} />
}
