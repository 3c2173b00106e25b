/** Branches of the diagram: their lines with flow and loading, their labels, and their breakers. */

import { rateValue } from '../gap.ts'
import { type Layer, readNumber } from '../live-grid.ts'
import { type DiagramProps, grouped, pressed } from './shape.ts'
import type { DrawnBranch } from './single-line.ts'

interface BranchProps extends DiagramProps {
  readonly branch: DrawnBranch
  readonly layer: Layer
}

/** Flow and loading of a branch in the shown layer, and the distance of its estimate from the truth. */
function readBranch({ branch, layer, layers, shown }: BranchProps) {
  const flow = readNumber(layer, 'flow_mw', branch.number) ?? 0
  const isClosed = layers[shown === 'measured' ? 'measured' : 'true'].closed?.[branch.number] !== false
  const share = branch.rate_mva > 0 ? (100 * Math.abs(flow)) / branch.rate_mva : 0
  const loading = shown === 'true' ? (readNumber(layer, 'loading_percent', branch.number) ?? share) : share
  const off = Math.abs((readNumber(layers.estimated, 'flow_mw', branch.number) ?? flow) - flow)
  const tone = shown === 'difference' ? rateValue(off, 5, 12) : rateValue(loading, 90, 100)
  return { flow, isClosed, loading, off, tone }
}

/** The line of a branch, as wide as its loading, with an arrow along its flow. */
export function BranchLine(props: BranchProps) {
  const { branch, shown } = props
  const { flow, isClosed, loading, off, tone } = readBranch(props)
  const width = shown === 'difference' ? 1.4 + Math.min(8, off / 4) : 1.2 + Math.min(1.4, loading / 100) * 4.2
  const flowText = `${flow.toFixed(1)} MW, ${loading.toFixed(0)} % of ${branch.rate_mva} MVA`
  const offText = shown === 'difference' ? `; the estimate is ${off.toFixed(1)} MW off` : ''
  const [x, y, angle] = branch.middle
  return (
    <g class={`branch ${isClosed ? '' : 'open'} ${tone}`}>
      <title>{`Branch ${branch.name}: ${isClosed ? flowText : 'open'}${offText}`}</title>
      <path d={branch.path} style={{ strokeWidth: `${width}px` }} />
      {isClosed && Math.abs(flow) > 0.5 ? (
        <path
          class="arrow"
          d="M-5-4.5 5 0-5 4.5z"
          transform={`translate(${x} ${y}) rotate(${angle + (flow < 0 ? 180 : 0)})`}
        />
      ) : null}
    </g>
  )
}

/** The number at an abnormal branch; drawn above everything, so that no line crosses it. */
export function BranchLabel(props: BranchProps) {
  const { branch, shown } = props
  const { isClosed, loading, off, tone } = readBranch(props)
  if (tone === 'normal' || !isClosed) return null
  const [x, y] = branch.middle
  return (
    <text class="branch-label" x={x + 9} y={y - 6}>
      {shown === 'difference' ? `${off.toFixed(0)} MW off` : `${loading.toFixed(0)} %`}
    </text>
  )
}

/** The square of a breaker, which is pressed to switch it. */
export function Breaker(props: {
  readonly branch: DrawnBranch
  readonly layer: Layer
  readonly onSwitch: DiagramProps['onSwitch']
}) {
  const { branch, layer, onSwitch } = props
  const isClosed = layer.closed?.[branch.number] !== false
  const name = `CB-${branch.name}`
  const [x, y] = branch.breaker
  const label = `Breaker ${name} is ${isClosed ? 'closed' : 'open'}`
  return (
    <g
      class={`breaker ${isClosed ? '' : 'open'}`}
      {...(onSwitch === undefined ? grouped(label) : pressed(label, () => onSwitch(name, !isClosed)))}
    >
      <title>{label}</title>
      <rect x={x - 4.5} y={y - 4.5} width="9" height="9" />
    </g>
  )
}
