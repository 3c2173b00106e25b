/** A table of the voltages of each bus: true, measured and estimated, with the gap between estimate and truth. */

import type { JSX } from 'preact'
import { type Gap, measureGap } from './gap.ts'
import { type Layers, readNumber } from './live-grid.ts'
import type { Bus } from './plan.ts'

/** Most buses that are drawn; of more, those with the largest gap. */
const mostRows = 20

const names = ['true', 'measured', 'estimated'] as const

/** One row for each bus: a disc for the truth, a ring for the meter, a bar for the estimate. */
export function Comparison(props: {
  readonly buses: readonly Bus[]
  readonly layers: Layers
  readonly onSelect: (bus: number) => void
}): JSX.Element {
  const { layers } = props
  const gaps = props.buses.map(({ id }) => ({ id, gap: measureGap(layers, id) }))
  const rows = gaps.length <= mostRows ? gaps : [...gaps].sort((a, b) => b.gap.size - a.gap.size).slice(0, mostRows)
  const all = rows.flatMap(({ id }) => Object.values(layers).map((layer) => readNumber(layer, 'vm_pu', id)))
  const x = createScale(all)
  return (
    <div>
      <p class="legend quiet">
        {names.map((name) => (
          <span key={name}>
            <i class={`mark-of ${name}`} /> {name}
          </span>
        ))}
      </p>
      <table class="comparison">
        <caption class="visually-hidden">Voltage of each bus: true, measured, estimated</caption>
        <thead>
          <tr>
            <th scope="col">Bus</th>
            <th scope="col">Voltage</th>
            <th scope="col" class="num">
              Gap <small>pu</small>
            </th>
            <th scope="col" class="num">
              Angle <small>°</small>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ id, gap }) => (
            <Row key={id} bus={id} gap={gap} layers={layers} x={x} onSelect={props.onSelect} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Makes the function from a voltage in per unit to its place in percent; dead buses do not stretch the scale. */
function createScale(values: readonly (number | undefined)[]): (value: number) => number {
  const live = values.flatMap((value) => (value !== undefined && value > 0.5 ? value : []))
  const [low, high] = [Math.min(0.98, ...live) - 0.005, Math.max(1.02, ...live) + 0.005]
  return (value) => ((Math.max(low, value) - low) / (high - low)) * 100
}

interface RowProps {
  readonly bus: number
  readonly gap: Gap
  readonly layers: Layers
  /** The place of a voltage in percent. */
  readonly x: (value: number) => number
  readonly onSelect: (bus: number) => void
}

function Row({ bus, gap, layers, x, onSelect }: RowProps): JSX.Element {
  const volts = (name: keyof Layers) => readNumber(layers[name], 'vm_pu', bus)
  const [truth, estimate] = [volts('true'), volts('estimated')]
  return (
    <tr class={gap.severity} onClick={() => onSelect(bus)}>
      <th scope="row">{bus}</th>
      <td>
        <svg viewBox="0 0 100 12" preserveAspectRatio="none" aria-hidden="true">
          <line class="axis" x1="0" x2="100" y1="6" y2="6" />
          {truth !== undefined && estimate !== undefined ? (
            <line class="gap-line" x1={x(truth)} x2={x(estimate)} y1="6" y2="6" />
          ) : null}
        </svg>
        {names.map((name) => {
          const value = volts(name)
          return value === undefined ? null : (
            <i key={name} class={`mark-of ${name}`} style={{ left: `${x(value)}%` }} />
          )
        })}
      </td>
      <td class="num">{estimate === undefined ? '-' : signed(gap.volts, 3)}</td>
      <td class="num">{estimate === undefined ? '-' : signed(gap.degrees, 1)}</td>
    </tr>
  )
}

function signed(value: number, digits: number): string {
  const text = Math.abs(value).toFixed(digits)
  return Number(text) === 0 ? text : `${value < 0 ? '−' : '+'}${text}`
}
