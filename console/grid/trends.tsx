/** Frequency of the grid and voltage of a bus over the last minutes, true and as the control centre has them. */

import type { JSX } from 'preact'
import { Chart } from '../frame/chart.tsx'
import { type Layer, type Layers, type LiveGrid, readNumber } from './live-grid.ts'

interface TrendsProps {
  readonly grid: LiveGrid
  readonly bus: number
  /** True in the trainee's view, which does not know the truth. */
  readonly isTrainee: boolean
}

/** The two charts. */
export function Trends({ grid, bus, isTrainee }: TrendsProps): JSX.Element {
  const { trend, gaps } = grid
  const x = trend.map(({ at }) => at)
  const from = x[0] ?? 0
  const seen = gaps.filter(({ to }) => to > from).map((gap) => ({ ...gap, label: `Not computed: ${gap.reason}` }))
  const shared = { x, gaps: seen, height: 130 }
  const line = (layer: keyof Layers, read: (layer: Layer) => number | undefined) =>
    trend.map(({ layers }) => read(layers[layer]) ?? null)
  const readVolts = (layer: Layer) => readNumber(layer, 'vm_pu', bus)
  const [frequency, measured] = [line('true', findFrequency), line('measured', findFrequency)]
  return (
    <div class="columns">
      <Chart
        title="Frequency"
        unit=" Hz"
        {...shared}
        format={(value) => value.toFixed(2)}
        range={aroundNominal(frequency, measured)}
        series={[
          ...(isTrainee ? [] : [{ label: 'true', values: frequency }]),
          { label: 'measured', values: measured, tone: 'accent', isDashed: true },
        ]}
      />
      <Chart
        title={`Voltage of bus ${bus}`}
        unit=" pu"
        {...shared}
        format={(value) => value.toFixed(3)}
        series={[
          ...(isTrainee ? [] : [{ label: 'true', values: line('true', readVolts) }]),
          { label: 'measured', values: line('measured', readVolts), tone: 'muted', isDashed: true },
          { label: 'estimated', values: line('estimated', readVolts), tone: 'accent' },
        ]}
      />
    </div>
  )
}

/** The frequency of the first island, or what the first phasor unit reports. */
function findFrequency(layer: Layer): number | undefined {
  const first = Object.values(layer.frequency_hz ?? {})[0]
  return typeof first === 'number' ? first : undefined
}

/** The range of frequencies, at least 0.05 Hz around nominal: the noise of a healthy grid does not fill the chart. */
function aroundNominal(...lines: readonly (readonly (number | null)[])[]): readonly [number, number] {
  const known = lines.flat().filter((value) => value !== null)
  return [Math.min(59.95, ...known), Math.max(60.05, ...known)]
}
