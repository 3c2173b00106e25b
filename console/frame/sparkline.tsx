/** The course of a few values, small enough for a line of text. */

import type { JSX } from 'preact'
import type { LineTone } from './chart.tsx'
import { linePath, type Point } from './scale.ts'

/** A line without axes, 64 by 16 pixels, for a row of a table. */
export function Sparkline(props: {
  readonly values: readonly (number | null)[]
  readonly label: string
  readonly tone?: LineTone
}): JSX.Element {
  const known = props.values.filter((value) => value !== null)
  const [low, high] = [Math.min(...known), Math.max(...known)]
  const step = 64 / Math.max(1, props.values.length - 1)
  const points = props.values.map(
    (value, index): Point =>
      value === null ? null : [index * step, 15 - ((value - low) / (high - low || 1)) * 14],
  )
  return (
    <svg class="sparkline" viewBox="0 0 64 16" width="64" height="16" role="img" aria-label={props.label}>
      <path class={`line tone-${props.tone ?? 'text'}`} d={linePath(points)} />
    </svg>
  )
}
