/** The drawing of a counter: a bucket and its hits, held places, or a window with its counted and reserved hits. */

import type { JSX } from 'preact'
import { formatNumber } from '../frame/number.ts'
import { dateTime, duration, now } from '../frame/time.ts'
import { type AlgorithmShape, findWindow, parseShape } from './algorithm-shape.ts'

interface PictureProps {
  /** The name of the algorithm, such as `token_bucket 60 4`. */
  readonly algorithm: string
  /** Hits that count now, with those that are reserved. */
  readonly hits: number
  readonly secondsUntilReset: number
  /** Hits in a window, or that flow into a bucket in its time; null where the view does not know it. */
  readonly limit: number | null
  /** Hits that are reserved or leased; 0 when absent. */
  readonly outstanding?: number | undefined
}

const drawings: Readonly<Record<AlgorithmShape['kind'], (props: DrawingProps) => JSX.Element>> = {
  fixed: OpenWindow,
  calendar: OpenWindow,
  sliding: SlidingWindow,
  token_bucket: Bucket,
  concurrency: Places,
}

/** The drawing with a sentence below it; nothing for windows of the reference. */
export function CounterPicture(props: PictureProps): JSX.Element | null {
  const shape = parseShape(props.algorithm)
  if (shape === null) return null
  const Picture = drawings[shape.kind]
  const { outstanding = 0, hits, limit } = props
  return (
    <figure class="counter-picture">
      <Picture {...props} shape={shape} />
      {shape.kind === 'concurrency' || outstanding === 0 ? null : (
        <Outstanding reserve={shape.reserve} hits={hits} outstanding={outstanding} limit={limit} />
      )}
    </figure>
  )
}

interface OutstandingProps extends Pick<PictureProps, 'hits' | 'limit'> {
  readonly reserve: AlgorithmShape['reserve']
  readonly outstanding: number
}

/** The hits that are reserved or leased, and the end of reservations that nothing settles. */
function Outstanding({ reserve, hits, outstanding, limit }: OutstandingProps): JSX.Element {
  const counted = hits - outstanding
  return (
    <>
      {limit === null ? null : (
        <LimitBar
          counted={counted}
          reserved={outstanding}
          limit={limit}
          text={`${formatNumber(counted)} hits are counted for good, ${formatNumber(outstanding)} are reserved, of ${formatNumber(limit)}.`}
        />
      )}
      <figcaption class="quiet">
        {formatNumber(outstanding)} of the hits are reserved or leased
        {reserve === null ? '' : `; not settled within ${duration(reserve.seconds)}, they are ${reserve.unsettled}`}.
      </figcaption>
    </>
  )
}

type DrawingProps = PictureProps & { readonly shape: AlgorithmShape }

function Bucket({ shape, hits, limit, secondsUntilReset }: DrawingProps): JSX.Element {
  const { burst, seconds } = shape
  const left = Math.max(0, burst - hits)
  const height = (left / burst) * 44
  const flow = limit === null || limit === 0 ? '' : ` One hit flows in every ${describeSpan(seconds / limit)}.`
  const text = `${formatNumber(left)} of ${formatNumber(burst)} hits are in the bucket.${flow}`
  return (
    <>
      <svg class="bucket" viewBox="0 0 120 52" role="img" aria-label={text}>
        <rect class="used" x="12" y={48 - height} width="96" height={height} />
        <path class="edge" d="M10 2v46h100V2" />
      </svg>
      <figcaption>
        {text} {hits <= 0 ? 'It is full.' : `More in ${duration(secondsUntilReset)}.`}
      </figcaption>
    </>
  )
}

/** The held places of a limit of concurrent calls. */
function Places({ shape, hits, limit }: DrawingProps): JSX.Element {
  const places = limit === null ? formatNumber(hits) : `${formatNumber(hits)} of ${formatNumber(limit)}`
  const text = `${places} places are held. A holder that is lost gives its place back within ${duration(shape.seconds)}.`
  return (
    <>
      {limit === null ? null : <LimitBar counted={0} reserved={hits} limit={limit} text={text} />}
      <figcaption>{text}</figcaption>
    </>
  )
}

/** A limit as a bar: hits that are counted for good, and those that may come back. */
function LimitBar(props: {
  readonly counted: number
  readonly reserved: number
  readonly limit: number
  readonly text: string
}): JSX.Element {
  const part = (hits: number) => (Math.min(props.limit, Math.max(0, hits)) / Math.max(1, props.limit)) * 200
  const counted = part(props.counted)
  const all = part(props.counted + props.reserved)
  return (
    <svg viewBox="0 0 200 16" role="img" aria-label={props.text}>
      <rect class="used" x="0" y="2" width={counted} height="12" />
      <rect class="used fading" x={counted} y="2" width={all - counted} height="12" />
      <path class="edge" d="M.5 2h199v12h-199z" />
    </svg>
  )
}

function describeUse({ hits, limit }: DrawingProps): string {
  return limit === null
    ? `${formatNumber(hits)} hits count`
    : `${formatNumber(hits)} of ${formatNumber(limit)} hits count`
}

/** The part of a window that has passed, 0 to 1. */
function measurePassed({ start, end }: ReturnType<typeof findWindow>): number {
  return Math.min(1, Math.max(0, (now.value / 1000 - start) / (end - start)))
}

/** The window before, of which a part still counts, and the open one up to now. */
function SlidingWindow(props: DrawingProps): JSX.Element {
  const passed = measurePassed(findWindow(props.shape, now.value / 1000, props.secondsUntilReset))
  const percent = Math.round((1 - passed) * 100)
  const text = `${describeUse(props)}: those of the open window, and ${percent} % of those of the window before.`
  return (
    <>
      <svg viewBox="0 0 200 36" role="img" aria-label={text}>
        <rect class="used fading" x={passed * 100} y="10" width={(1 - passed) * 100} height="16" />
        <rect class="used" x="100" y="10" width={passed * 100} height="16" />
        <path class="edge" d="M.5 8v20h199V8M100 8v20" />
        <path class="now" d={`M${100 + passed * 100} 2v32`} />
      </svg>
      <figcaption>{text}</figcaption>
    </>
  )
}

/** The open window up to now. */
function OpenWindow(props: DrawingProps): JSX.Element {
  const { shape, secondsUntilReset } = props
  const { start, end } = findWindow(shape, now.value / 1000, secondsUntilReset)
  const at = measurePassed({ start, end }) * 200
  const text = `${describeUse(props)} from ${dateTime(start * 1000)} to ${dateTime(end * 1000)}.`
  const calendar = shape.zone === '' ? '' : `, by the calendar in ${shape.zone}`
  return (
    <>
      <svg viewBox="0 0 200 36" role="img" aria-label={text}>
        <rect class="used" x="0" y="10" width={at} height="16" />
        <path class="edge" d="M.5 8v20h199V8" />
        <path class="now" d={`M${at} 2v32`} />
      </svg>
      <figcaption>
        {text} The window ends in {duration(end - now.value / 1000)}
        {calendar}.
      </figcaption>
    </>
  )
}

/** A time between two hits, which may be less than a second. */
function describeSpan(seconds: number): string {
  return seconds < 1 ? `${formatNumber(seconds * 1000, 0)} ms` : duration(seconds)
}
