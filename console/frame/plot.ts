/** The layout of a chart: from moments and values to pixels, from a pixel to a moment, and the ticks. */

import type { LineTone } from './line.ts'

/** One line. */
export interface Series {
  readonly label: string
  /** One for every moment; null where nothing is known. */
  readonly values: readonly (number | null)[]
  readonly tone?: LineTone
  readonly isDashed?: boolean
}

/** Series with the moments of their values. */
export interface Plotted {
  /** Unix time in seconds, ascending. */
  readonly x: readonly number[]
  readonly series: readonly Series[]
  /** `stack` draws each series as an area on top of the one before. */
  readonly kind?: 'lines' | 'stack'
  /** Seconds for which each value of a stack holds; it is drawn as steps then. */
  readonly step?: number
  /** The range of values; from the series when absent, and from 0 for a stack. */
  readonly range?: readonly [low: number, high: number]
}

/** Pixels around the field of the lines. */
export const margin = { left: 46, right: 12, top: 8, bottom: 20 }

/** Places on the drawing, in pixels. */
export interface Plot {
  readonly width: number
  readonly height: number
  readonly toX: (seconds: number) => number
  readonly toY: (value: number) => number
  readonly valueTicks: readonly number[]
  readonly timeTicks: readonly number[]
  /** The lower edge of each series, zero for lines. */
  readonly bases: readonly (readonly number[])[]
  /** The index of the moment nearest to a pixel from the left; null without moments. */
  readonly indexAt: (pixel: number) => number | null
}

/** Lays a chart out. @param width - CSS pixels, as `height`. */
export function makePlot(plotted: Plotted, width: number, height: number): Plot {
  const { x, series, kind, range, step = 0 } = plotted
  const bases = kind === 'stack' ? stackBases(series, x.length) : series.map(() => [])
  const [low, high] = range ?? computeRange(plotted, bases)
  const [from, to] = [x[0] ?? 0, (x.at(-1) ?? 1) + step]
  const inner = Math.max(1, width - margin.left - margin.right)
  const toX = (seconds: number) => margin.left + ((seconds - from) / (to - from || 1)) * inner
  const toY = (value: number) =>
    height - margin.bottom - ((value - low) / (high - low || 1)) * (height - margin.top - margin.bottom)
  return {
    width,
    height,
    toX,
    toY,
    bases,
    valueTicks: chooseTicks(low, high, Math.max(2, Math.floor(height / 44))),
    timeTicks: chooseTimeTicks(from, to, Math.max(2, Math.floor(inner / 90))),
    indexAt: (pixel) => nearestIndex(x, from + ((pixel - margin.left) / inner) * (to - from)),
  }
}

function stackBases(series: readonly Series[], length: number): readonly (readonly number[])[] {
  let sums: readonly number[] = new Array<number>(length).fill(0)
  return series.map(({ values }) => {
    const base = sums
    sums = base.map((sum, index) => sum + (values[index] ?? 0))
    return base
  })
}

function computeRange({ series, kind }: Plotted, bases: Plot['bases']): readonly [number, number] {
  const isStack = kind === 'stack'
  let low = isStack ? 0 : Infinity
  let high = isStack ? 1 : -Infinity
  series.forEach(({ values }, row) => {
    values.forEach((value, index) => {
      if (value === null) return
      const top = value + (bases[row]?.[index] ?? 0)
      if (top < low) low = top
      if (top > high) high = top
    })
  })
  if (low > high) return [0, 1]
  const air = (high - low) * 0.06 || Math.abs(high) * 0.02 || 1
  return [isStack ? 0 : low - air, high + air]
}

function nearestIndex(x: readonly number[], seconds: number): number | null {
  if (x.length === 0) return null
  const distances = x.map((moment) => Math.abs(moment - seconds))
  // A chart may have more moments than a call has arguments.
  return distances.reduce((best, distance, index) => (distance < (distances[best] ?? 0) ? index : best), 0)
}

/** Round values from low to high that divide a range into about `count` parts. */
export function chooseTicks(low: number, high: number, count: number): readonly number[] {
  const span = high - low
  if (!(span > 0)) return [low]
  const rough = span / Math.max(1, count)
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough) ?? rough
  return [...new Set(listMultiples(step, low, high, 1e-9).map((tick) => Number(tick.toPrecision(12))))]
}

/** The multiples of a step in a range. To add the step would not end where numbers of that size are further apart. */
function listMultiples(step: number, low: number, high: number, slack = 0): readonly number[] {
  const first = Math.ceil(low / step - slack)
  const length = Math.max(0, Math.floor(high / step + slack) - first + 1)
  return Array.from({ length }, (_, at) => (first + at) * step)
}

const year = 31_536_000
const timeSteps = [
  1,
  2,
  5,
  10,
  15,
  30,
  60,
  120,
  300,
  600,
  900,
  1800,
  3600,
  7200,
  10_800,
  21_600,
  43_200,
  86_400,
  172_800,
  604_800,
  1_209_600,
  2_592_000,
  7_776_000,
  year,
]

/** Round moments of a range, at most `count` of them. @param low - Unix time in seconds, as `high`. */
export function chooseTimeTicks(low: number, high: number, count: number): readonly number[] {
  const years = Math.ceil((high - low) / count / year)
  const step = timeSteps.find((candidate) => (high - low) / candidate <= count) ?? years * year
  return listMultiples(step, low, high)
}
