/** Series over time as a chart: its drawing, the values at the cursor, and buttons that save it. */

import type { JSX, RefObject } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { Button } from './components.tsx'
import { Drawing, type Gap, type Mark } from './drawing.tsx'
import { downloadPng, downloadText, svgText, writeCsv } from './export.ts'
import { formatNumber } from './number.ts'
import { makePlot, type Plotted } from './plot.ts'
import { dateTime } from './time.ts'

interface ChartProps extends Plotted {
  readonly title: string
  readonly unit?: string
  /** CSS pixels. */
  readonly height: number
  readonly gaps?: readonly Gap[]
  readonly marks?: readonly Mark[]
  readonly onPick?: (x: number) => void
  /** Called with the index under the cursor, and with null when it leaves. */
  readonly onHover?: (index: number | null) => void
  readonly format?: (value: number) => string
}

/** A chart with its legend. */
export function Chart(props: ChartProps): JSX.Element {
  const { title, x, height, unit = '', gaps = [], marks = [], format = formatNumber } = props
  const drawing = useRef<SVGSVGElement>(null)
  const id = useId()
  const plot = makePlot(props, useWidth(drawing), height)
  const { at, move, pick, onKeyDown } = useCursor(props)
  const last = Math.max(0, x.length - 1)
  return (
    <figure class="chart" aria-labelledby={id}>
      <figcaption id={id}>
        <strong>{title}</strong>
        <Legend {...props} at={at} gaps={gaps} format={format} unit={unit} />
      </figcaption>
      <div
        class="plot"
        role="slider"
        aria-label={`${title}; arrow keys move the cursor`}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={at ?? last}
        aria-valuetext={describeValues({ ...props, at, format, unit })}
        tabIndex={0}
        onPointerMove={(event) => move(plot.indexAt(offsetOf(event)))}
        onPointerLeave={() => move(null)}
        onClick={(event) => pick(plot.indexAt(offsetOf(event)))}
        onKeyDown={onKeyDown}
      >
        <svg ref={drawing} height={height} aria-hidden="true">
          <Drawing {...props} plot={plot} gaps={gaps} marks={marks} at={at} hatch={`${id}-hatch`} format={format} />
        </svg>
      </div>
      <Saves title={title} plotted={props} drawing={drawing} />
    </figure>
  )
}

/** Pixels from the left edge of the drawing. */
function offsetOf(event: { readonly clientX: number; readonly currentTarget: Element }): number {
  return event.clientX - event.currentTarget.getBoundingClientRect().left
}

const keySteps: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 }

/** The index of the moment at the cursor, null without one; the pointer or keys move it and pick the moment. */
function useCursor({ x, onHover, onPick }: ChartProps) {
  const [index, setIndex] = useState<number | null>(null)
  const at = index !== null && index < x.length ? index : null
  const move = (next: number | null) => {
    setIndex(next)
    onHover?.(next)
  }
  const pick = (picked: number | null) => {
    const moment = picked === null ? undefined : x[picked]
    if (moment !== undefined) onPick?.(moment)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = keySteps[event.key]
    if (event.key === 'Enter') pick(at)
    if (event.key === 'Escape' && at !== null) {
      event.stopPropagation()
      move(null)
    }
    if (step === undefined) return
    event.preventDefault()
    move(Math.max(0, Math.min(x.length - 1, (at ?? x.length) + step)))
  }
  return { at, move, pick, onKeyDown }
}

/** The values at the cursor, or the last ones without it. */
interface Readout extends Plotted {
  readonly at: number | null
  readonly format: (value: number) => string
  readonly unit: string
}

function Legend(props: Readout & { readonly gaps: readonly Gap[] }): JSX.Element {
  const { x, series, gaps, at, format, unit, kind } = props
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

/** The text that a screen reader has for a drawing. */
function describeValues({ x, series, at, format, unit }: Readout): string {
  const moment = at === null ? x.at(-1) : x[at]
  if (moment === undefined) return 'nothing yet'
  const values = series.map(({ label, values }) => {
    const value = valueAt(values, at)
    return `${label} ${value == null ? 'unknown' : format(value)}${unit}`
  })
  return `${values.join(', ')} at ${dateTime(moment * 1000)}`
}

interface SavesProps {
  readonly title: string
  readonly plotted: Plotted
  readonly drawing: RefObject<SVGSVGElement | null>
}

function Saves({ title, plotted, drawing }: SavesProps): JSX.Element {
  const name = title.toLowerCase().replace(/\W+/g, '-')
  const withDrawing = (save: (drawn: SVGSVGElement) => void) => () =>
    drawing.current === null ? undefined : save(drawing.current)
  const saves = [
    ['CSV', () => saveSeries(name, plotted)],
    ['SVG', withDrawing((drawn) => downloadText(`${name}.svg`, 'image/svg+xml', svgText(drawn)))],
    ['PNG', withDrawing((drawn) => void downloadPng(`${name}.png`, drawn))],
  ] as const
  return (
    <div class="row end saves">
      {saves.map(([type, save]) => (
        <Button key={type} onClick={save} label={`Save ${title} as ${type}`}>
          {type}
        </Button>
      ))}
    </div>
  )
}

function saveSeries(name: string, { x, series }: Plotted): void {
  const rows = x.map((seconds, index) => [
    // Dates of the network may be beyond those of the calendar.
    Math.abs(seconds) <= 8.64e12 ? new Date(seconds * 1000).toISOString() : seconds,
    ...series.map(({ values }) => values[index] ?? null),
  ])
  downloadText(`${name}.csv`, 'text/csv', writeCsv([['time', ...series.map(({ label }) => label)], ...rows]))
}

/** Follows the width of a drawing in CSS pixels. */
function useWidth(drawing: RefObject<SVGSVGElement | null>): number {
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
