/** Frequency of the grid and voltage of a bus over the last minutes, true and as the control centre has them. */

import type { JSX } from 'preact'
import { Chart } from '../frame/chart.tsx'
import { type Layer, type LiveGrid, readNumber } from './live-grid.ts'

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
  const line = (layer: 'true' | 'measured' | 'estimated', read: (layer: Layer) => number | undefined) =>
    trend.map(({ layers }) => read(layers[layer]) ?? null)
  const volts = (layer: Layer) => readNumber(layer, 'vm_pu', bus)
  return (
    <div class="columns">
      <Chart
        title="Frequency"
        unit=" Hz"
        x={x}
        gaps={seen}
        height={130}
        format={(value) => value.toFixed(2)}
        range={aroundNominal(line('true', findFrequency), line('measured', findFrequency))}
        series={[
          ...(isTrainee ? [] : [{ label: 'true', values: line('true', findFrequency) }]),
          { label: 'measured', values: line('measured', findFrequency), tone: 'accent', isDashed: true },
        ]}
      />
      <Chart
        title={`Voltage of bus ${bus}`}
        unit=" pu"
        x={x}
        gaps={seen}
        height={130}
        format={(value) => value.toFixed(3)}
        series={[
          ...(isTrainee ? [] : [{ label: 'true', values: line('true', volts) }]),
          { label: 'measured', values: line('measured', volts), tone: 'muted' as const, isDashed: true },
          { label: 'estimated', values: line('estimated', volts), tone: 'accent' as const },
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

/** A twentieth of a hertz around nominal at least, so that the noise of a healthy grid looks like what it is. */
function aroundNominal(...lines: readonly (readonly (number | null)[])[]): readonly [number, number] {
  const known = lines.flat().filter((value) => value !== null)
  return [Math.min(59.95, ...known), Math.max(60.05, ...known)]
}
