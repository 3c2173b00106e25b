/** The drawing of a chart: its axes, the gaps in what is known, lines or stacked areas, marks and the cursor. */

import type { JSX } from 'preact'
import { linePath, type Point, thin } from './line.ts'
import { margin, type Plot, type Plotted, type Series } from './plot.ts'
import { day, time } from './time.ts'

/** A stretch of time in which nothing was known, in Unix seconds. */
export interface Gap {
  readonly from: number
  readonly to: number
  readonly label: string
}

/** A moment that is marked, in Unix seconds. */
export interface Mark {
  readonly at: number
  readonly label: string
}

interface DrawingProps extends Plotted {
  readonly plot: Plot
  readonly gaps: readonly Gap[]
  readonly marks: readonly Mark[]
  /** The index of the moment at the cursor; null without one. */
  readonly at: number | null
  /** The id of the pattern that fills gaps, unique on the page. */
  readonly hatch: string
  readonly format: (value: number) => string
}

/** The content of the chart's SVG element. */
export function Drawing({ plot, x, series, kind, step, gaps, marks, at, hatch, format }: DrawingProps): JSX.Element {
  const { toX } = plot
  const right = plot.width - margin.right
  const bottom = plot.height - margin.bottom
  const moment = at === null ? undefined : x[at]
  return (
    <>
      <pattern id={hatch} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect class="hatch-line" width="1" height="6" />
      </pattern>
      <Axes plot={plot} x={x} format={format} />
      {gaps.map(({ from, to, label }) => {
        const left = Math.max(margin.left, toX(from))
        const width = Math.max(1, Math.min(right, toX(to)) - left)
        return (
          <rect
            key={`${from}${label}`}
            fill={`url(#${hatch})`}
            x={left}
            y={margin.top}
            width={width}
            height={bottom - margin.top}
          >
            <title>{label}</title>
          </rect>
        )
      })}
      {series.map((one, row) =>
        kind === 'stack' ? (
          <Area key={one.label} one={one} x={x} plot={plot} base={plot.bases[row] ?? []} step={step} />
        ) : (
          <Line key={one.label} one={one} x={x} plot={plot} />
        ),
      )}
      {marks.map(({ at: seconds, label }) => (
        <line
          key={`${seconds}${label}`}
          class="mark tone-attention"
          x1={toX(seconds)}
          x2={toX(seconds)}
          y1={margin.top}
          y2={bottom}
        >
          <title>{label}</title>
        </line>
      ))}
      {moment === undefined ? null : (
        <line class="cursor" x1={toX(moment)} x2={toX(moment)} y1={margin.top} y2={bottom} />
      )}
    </>
  )
}

type AxesProps = Pick<DrawingProps, 'plot' | 'x' | 'format'>

function Axes({ plot, x, format }: AxesProps): JSX.Element {
  const { width, height, toX, toY, valueTicks, timeTicks } = plot
  const span = (x.at(-1) ?? 0) - (x[0] ?? 0)
  return (
    <>
      {valueTicks.map((value) => (
        <g key={value} class="grid-line">
          <line x1={margin.left} x2={width - margin.right} y1={toY(value)} y2={toY(value)} />
          <text x={margin.left - 6} y={toY(value) + 4} text-anchor="end">
            {format(value)}
          </text>
        </g>
      ))}
      {timeTicks.map((seconds) => (
        <text
          key={seconds}
          class="tick"
          x={toX(seconds)}
          y={height - 4}
          text-anchor={toX(seconds) > width - 30 ? 'end' : 'middle'}
        >
          {formatTick(seconds, span)}
        </text>
      ))}
    </>
  )
}

/** A moment of an axis: month, day or second, by the seconds that the axis spans. */
function formatTick(seconds: number, span: number): string {
  if (span > 86_400 * 500) return day(seconds * 1000).slice(0, -3)
  if (span > 86_400 * 1.5) return day(seconds * 1000).slice(-5)
  return time(seconds * 1000).slice(0, span < 600 ? 8 : 5)
}

interface LineProps {
  readonly one: Series
  readonly x: readonly number[]
  readonly plot: Plot
}

function Line({ one, x, plot: { toX, toY, width } }: LineProps): JSX.Element {
  const { values, tone = 'text', isDashed } = one
  const points = thin(x, values, Math.max(1, width)).map((index): Point => {
    const value = values[index]
    return value == null ? null : [toX(x[index] ?? 0), toY(value)]
  })
  return <path class={`line tone-${tone} ${isDashed === true ? 'dashed' : ''}`} d={linePath(points)} />
}

interface AreaProps extends LineProps {
  /** The lower edge of the area at each moment. */
  readonly base: readonly number[]
  /** Seconds for which each value holds; 0 where the edge runs from value to value. */
  readonly step: number | undefined
}

function Area({ one, x, base, step = 0, plot: { toX, toY, width } }: AreaProps): JSX.Element {
  const { values, tone = 'text' } = one
  // A step has two corners: where its value begins and where the next one does.
  const corners = (index: number, height: number): readonly Point[] => {
    const second = x[index] ?? 0
    const begin: Point = [toX(second), toY(height)]
    return step === 0 ? [begin] : [begin, [toX(second + step), toY(height)]]
  }
  return (
    <>
      {splitRuns(thin(x, values, Math.max(1, width)), values).map((run) => {
        const under = run.flatMap((index) => corners(index, base[index] ?? 0)).reverse()
        const over = run.flatMap((index) => corners(index, (values[index] ?? 0) + (base[index] ?? 0)))
        return <path key={run[0]} class={`area tone-${tone}`} d={`${linePath([...over, ...under])}Z`} />
      })}
    </>
  )
}

/** Stretches of indexes between holes. */
function splitRuns(indexes: readonly number[], values: readonly (number | null)[]): readonly (readonly number[])[] {
  const runs: number[][] = []
  let run: number[] | undefined
  for (const index of indexes) {
    if (values[index] == null) run = undefined
    else if (run === undefined) {
      run = [index]
      runs.push(run)
    } else run.push(index)
  }
  return runs
}
