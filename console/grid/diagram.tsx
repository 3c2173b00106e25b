/** The single-line diagram: grey while healthy, loading as width, breakers as squares that open. */

import type { JSX } from 'preact'
import { measureGap, rateValue, type Severity } from './gap.ts'
import { type Layer, type Layers, readNumber } from './live-grid.ts'
import type { GridPlan } from './plan.ts'
import { type DrawnBranch, type DrawnBus, layOut } from './single-line.ts'

/** The content of the diagram: one layer, or the distance between estimate and truth. */
export type Shown = keyof Layers | 'difference'

interface DiagramProps {
  readonly plan: GridPlan
  readonly layers: Layers
  readonly shown: Shown
  /** The bus whose values are written out. */
  readonly selected: number | null
  readonly onSelect: (bus: number) => void
  /** Absent where the person may not switch. */
  readonly onSwitch?: (breaker: string, closed: boolean) => void
}

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

function BranchLine(props: BranchProps) {
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
function BranchLabel(props: BranchProps) {
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

interface BusBarProps extends DiagramProps {
  readonly bus: DrawnBus
  readonly layer: Layer
}

/** The text at a bus, and its tone. */
function readBus({ bus, layer, layers, shown, selected }: BusBarProps) {
  const volts = readNumber(layer, 'vm_pu', bus.id)
  const isDead = layers.true.energized?.[bus.id] === false
  const gap = measureGap(layers, bus.id)
  const isSelected = selected === bus.id
  if (shown === 'difference') {
    const value = gap.severity === 'normal' ? '' : `${gap.volts.toFixed(3)} pu, ${gap.degrees.toFixed(1)}°`
    return { value, isWritten: true, isDead, isSelected, tone: gap.severity }
  }
  const isWritten = isSelected || volts === undefined || volts < 0.97 || volts > 1.03
  const tone = isDead ? 'bad' : voltTone(volts)
  return { value: volts === undefined ? '' : volts.toFixed(3), isWritten, isDead, isSelected, tone }
}

function BusBar(props: BusBarProps) {
  const { bus, layers, onSelect } = props
  const { id, x, y, half, hasGenerator, hasLoad } = bus
  const { value, isDead, isSelected, tone } = readBus(props)
  const isTripped = layers.true.load_tripped?.[id] === true
  return (
    <g
      class={`bus ${tone} ${isSelected ? 'selected' : ''} ${isDead ? 'dead' : ''}`}
      {...pressed(`Bus ${id}, ${value === '' ? 'no value' : value}${isDead ? ', dead' : ''}`, () => onSelect(id))}
    >
      <rect class="touch" x={x - half - 26} y={y - 14} width={2 * half + 52} height="28" />
      <rect class="bar" x={x - half} y={y - 2.5} width={2 * half} height="5" />
      {hasGenerator ? (
        <g class="machine">
          <path d={`M${x - half} ${y}h-7`} />
          <circle cx={x - half - 17} cy={y} r="10" />
          <path d={`M${x - half - 22} ${y}c2-5 4-5 5 0s3 5 5 0`} />
        </g>
      ) : null}
      {hasLoad ? <path class={`load ${isTripped ? 'tripped' : ''}`} d={`M${x + half} ${y}h7v10m-4 0h8l-4 7z`} /> : null}
    </g>
  )
}

/** Name and value of a bus; drawn above everything, and not part of what is pressed. */
function BusLabel(props: BusBarProps) {
  const { id, x, y, half, hasLoad } = props.bus
  const { value, isWritten, tone } = readBus(props)
  return (
    <g class={`bus-label ${tone}`}>
      <text class="name" x={x - half} y={y - 7}>
        {id}
      </text>
      {isWritten && value !== '' ? (
        <text class="value" x={x + half + (hasLoad ? 17 : 6)} y={y - 3}>
          {value}
        </text>
      ) : null}
    </g>
  )
}

/** Voltages beyond these are abnormal in any of the cases, whose set points reach 1.09. */
function voltTone(volts: number | undefined): Severity {
  if (volts === undefined) return 'normal'
  if (volts < 0.9 || volts > 1.12) return 'bad'
  return volts < 0.95 || volts > 1.1 ? 'attention' : 'normal'
}

function Breaker(props: {
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

/** Attributes of a group of shapes. */
function grouped(label: string) {
  return { role: 'group', 'aria-label': label } as const
}

/** Attributes of a shape that acts as a button: SVG has no element for it. */
function pressed(label: string, act: () => void) {
  const onKeyDown = ({ key }: { readonly key: string }) => key === 'Enter' && act()
  return { role: 'button', tabindex: 0, 'aria-label': label, onClick: act, onKeyDown } as const
}
