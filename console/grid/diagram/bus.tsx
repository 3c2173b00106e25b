/** Buses of the diagram: their bars with machine and load, and their labels. */

import { measureGap, type Severity } from '../gap.ts'
import { type Layer, readNumber } from '../live-grid.ts'
import { type DiagramProps, pressed } from './shape.ts'
import type { DrawnBus } from './single-line.ts'

interface BusBarProps extends DiagramProps {
  readonly bus: DrawnBus
  readonly layer: Layer
}

/** Voltages between these are not written out. */
const usualVolts = { least: 0.97, most: 1.03 } as const

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
  const isWritten = isSelected || volts === undefined || volts < usualVolts.least || volts > usualVolts.most
  const tone = isDead ? 'bad' : voltTone(volts)
  return { value: volts === undefined ? '' : volts.toFixed(3), isWritten, isDead, isSelected, tone }
}

/** The bar of a bus, which is pressed to choose it. */
export function BusBar(props: BusBarProps) {
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
export function BusLabel(props: BusBarProps) {
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
