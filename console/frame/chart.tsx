/** Series over time as a drawing: lines or a stack, with what is not known hatched and values at the cursor. */

import type { JSX } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { Button, formatNumber } from './components.tsx'
import { downloadPng, downloadText, svgText, writeCsv } from './export.ts'
import { type LineTone, linePath, type Point, thin } from './line.ts'
import { makePlot, margin, type Plot, type Plotted, type Series } from './plot.ts'
import { dateTime, time } from './time.ts'

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
  readonly tone?: LineTone
}

interface ChartProps extends Plotted {
  readonly title: string
  readonly unit?: string
  /** CSS pixels. */
  readonly height?: number
  readonly gaps?: readonly Gap[]
  readonly marks?: readonly Mark[]
  readonly onPick?: (x: number) => void
  /** Called with the index under the cursor, and with null when it leaves. */
  readonly onHover?: (index: number | null) => void
  readonly format?: (value: number) => string
}

/** A chart with its legend, the values at the cursor, and buttons that save it. */
export function Chart(props: ChartProps): JSX.Element {
  const { title, x, height = 160, unit = '', format = formatNumber } = props
  const drawing = useRef<SVGSVGElement>(null)
  const width = useWidth(drawing)
  const [at, setAt] = useState<number | null>(null)
  const id = useId()
  const hover = (index: number | null) => {
    setAt(index)
    props.onHover?.(index)
  }
  const shown = at !== null && at < x.length ? at : null
  const plot = makePlot(props, width, height)
  const name = title.toLowerCase().replace(/\W+/g, '-')
  const withDrawing = (save: (drawn: SVGSVGElement) => void) => () =>
    drawing.current === null ? undefined : save(drawing.current)
  const saves = [
    ['CSV', () => saveSeries(name, props)],
    ['SVG', withDrawing((drawn) => downloadText(`${name}.svg`, 'image/svg+xml', svgText(drawn)))],
    ['PNG', withDrawing((drawn) => void downloadPng(`${name}.png`, drawn))],
  ] as const
  const move = (index: number) => hover(Math.max(0, Math.min(x.length - 1, index)))
  return (
    <figure class="chart" aria-labelledby={id}>
      <figcaption id={id}>
        <strong>{title}</strong>
        <Legend {...props} at={shown} format={format} unit={unit} />
      </figcaption>
      <div
        class="plot"
        role="slider"
        aria-label={`${title}; arrow keys move the cursor`}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, x.length - 1)}
        aria-valuenow={shown ?? Math.max(0, x.length - 1)}
        aria-valuetext={summary(props, shown, format, unit)}
        tabIndex={0}
        onPointerMove={(event) => hover(plot.indexAt(offsetOf(event)))}
        onPointerLeave={() => hover(null)}
        onClick={(event) => pick(props, plot.indexAt(offsetOf(event)))}
        onKeyDown={(event) => {
          const steps: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 }
          const step = steps[event.key]
          if (event.key === 'Enter' && shown !== null) pick(props, shown)
          if (event.key === 'Escape' && shown !== null) {
            event.stopPropagation()
            hover(null)
          }
          if (step === undefined) return
          event.preventDefault()
          move((shown ?? x.length) + step)
        }}
      >
        <svg ref={drawing} height={height} aria-hidden="true">
          <Drawing {...props} plot={plot} at={shown} hatch={`${id}-hatch`} />
        </svg>
      </div>
      <div class="row end saves">
        {saves.map(([type, save]) => (
          <Button key={type} onClick={save} label={`Save ${title} as ${type}`}>
            {type}
          </Button>
        ))}
      </div>
    </figure>
  )
}

/** Pixels from the left edge of the drawing. */
function offsetOf(event: { readonly clientX: number; readonly currentTarget: Element }): number {
  return event.clientX - event.currentTarget.getBoundingClientRect().left
}

function pick({ x, onPick }: ChartProps, index: number | null): void {
  const moment = index === null ? undefined : x[index]
  if (moment !== undefined) onPick?.(moment)
}

interface LegendProps extends ChartProps {
  readonly at: number | null
  readonly format: (value: number) => string
  readonly unit: string
}

function Legend({ x, series, gaps = [], at, format, unit, kind }: LegendProps): JSX.Element {
  const moment = at === null ? undefined : x[at]
  return (
    <span class="legend">
      {series.map(({ label, values, tone = 'text', isDashed }) => {
        const value = valueAt(values, at)
        return (
          <span key={label}>
            <i class={`swatch ${kind === 'stack' ? 'area' : ''} ${isDashed === true ? 'dashed' : ''} tone-${tone}`} />
            {label}{' '}
            <b>
              {value == null ? '-' : format(value)}
              <small>{unit}</small>
            </b>
          </span>
        )
      })}
      {[...new Set(gaps.map(({ label }) => label))].map((label) => (
        <span key={label}>
          <i class="swatch area hatched" />
          {label}
        </span>
      ))}
      <time>{moment === undefined ? '' : dateTime(moment * 1000)}</time>
    </span>
  )
}

/** The value at the cursor, or the last one that is known. */
function valueAt(values: readonly (number | null)[], at: number | null): number | null | undefined {
  return at === null ? values.findLast((value) => value !== null) : values[at]
}

/** The text that a screen reader has for a drawing: the values at the cursor, or the last ones. */
function summary({ x, series }: ChartProps, at: number | null, format: (value: number) => string, unit: string) {
  const moment = at === null ? x.at(-1) : x[at]
  if (moment === undefined) return 'nothing yet'
  const values = series.map(({ label, values }) => {
    const value = valueAt(values, at)
    return `${label} ${value == null ? 'unknown' : format(value)}${unit}`
  })
  return `${values.join(', ')} at ${dateTime(moment * 1000)}`
}

interface DrawingProps extends ChartProps {
  readonly plot: Plot
  readonly at: number | null
  readonly hatch: string
}

function Drawing({
  plot,
  x,
  series,
  kind,
  step,
  gaps = [],
  marks = [],
  at,
  hatch,
  format = formatNumber,
}: DrawingProps) {
  const { width, height, toX, toY } = plot
  const bottom = height - margin.bottom
  const span = (x.at(-1) ?? 0) - (x[0] ?? 0)
  const moment = at === null ? undefined : x[at]
  return (
    <>
      <pattern id={hatch} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect class="hatch-line" width="1" height="6" />
      </pattern>
      {plot.valueTicks.map((value) => (
        <g key={value} class="grid-line">
          <line x1={margin.left} x2={width - margin.right} y1={toY(value)} y2={toY(value)} />
          <text x={margin.left - 6} y={toY(value) + 4} text-anchor="end">
            {format(value)}
          </text>
        </g>
      ))}
      {plot.timeTicks.map((seconds) => (
        <text
          key={seconds}
          class="tick"
          x={toX(seconds)}
          y={height - 4}
          text-anchor={toX(seconds) > width - 30 ? 'end' : 'middle'}
        >
          {span > 86_400 * 1.5
            ? dateTime(seconds * 1000).slice(5, 10)
            : time(seconds * 1000).slice(0, span < 600 ? 8 : 5)}
        </text>
      ))}
      {gaps.map(({ from, to, label }) => (
        <rect
          key={`${from}${label}`}
          fill={`url(#${hatch})`}
          x={Math.max(margin.left, toX(from))}
          y={margin.top}
          width={Math.max(1, Math.min(width - margin.right, toX(to)) - Math.max(margin.left, toX(from)))}
          height={bottom - margin.top}
        >
          <title>{label}</title>
        </rect>
      ))}
      {series.map((one, row) => (
        <Line
          key={one.label}
          step={step}
          one={one}
          x={x}
          base={kind === 'stack' ? plot.bases[row] : undefined}
          plot={plot}
        />
      ))}
      {marks.map(({ at: seconds, label, tone = 'accent' }) => (
        <line
          key={`${seconds}${label}`}
          class={`mark tone-${tone}`}
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

interface LineProps {
  readonly one: Series
  readonly x: readonly number[]
  readonly base: readonly number[] | undefined
  readonly step: number | undefined
  readonly plot: Plot
}

function Line({ one, x, base, step = 0, plot }: LineProps): JSX.Element {
  const { toX, toY, width } = plot
  const { values, tone = 'text', isDashed } = one
  const kept = thin(x, values, Math.max(1, width))
  const top = (index: number): Point => {
    const value = values[index]
    return value == null ? null : [toX(x[index] ?? 0), toY(value + (base?.[index] ?? 0))]
  }
  if (base === undefined) {
    return <path class={`line tone-${tone} ${isDashed === true ? 'dashed' : ''}`} d={linePath(kept.map(top))} />
  }
  // A step has two corners: where its value begins and where the next one does.
  const corners = (index: number, height: number): readonly Point[] => {
    const second = x[index] ?? 0
    const begin: Point = [toX(second), toY(height)]
    return step === 0 ? [begin] : [begin, [toX(second + step), toY(height)]]
  }
  return (
    <>
      {splitRuns(kept, values).map((run) => {
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

function saveSeries(name: string, { x, series }: ChartProps): void {
  const rows = x.map((seconds, index) => [
    new Date(seconds * 1000).toISOString(),
    ...series.map(({ values }) => values[index] ?? null),
  ])
  downloadText(`${name}.csv`, 'text/csv', writeCsv([['time', ...series.map(({ label }) => label)], ...rows]))
}

/** Follows the width of a drawing in CSS pixels. */
function useWidth(drawing: { readonly current: SVGSVGElement | null }): number {
  const [width, setWidth] = useState(600)
  useEffect(() => {
    const element = drawing.current
    if (element === null) return undefined
    const observer = new ResizeObserver(([entry]) => setWidth(Math.round(entry?.contentRect.width ?? 600)))
    observer.observe(element)
    return () => observer.disconnect()
  }, [drawing])
  return width
}
