/** The drawing of a counter: a bucket and its hits, held places, or a window with its counted and reserved hits. */

import type { JSX } from 'preact'
import { formatNumber } from '../frame/components.tsx'
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

/** The drawing with a sentence below it; nothing for windows of the reference. */
export function CounterPicture(props: PictureProps): JSX.Element | null {
  const shape = parseShape(props.algorithm)
  if (shape === null) return null
  const { outstanding = 0, hits, limit } = props
  if (shape.kind === 'concurrency') {
    return (
      <figure class="counter-picture">
        <Places shape={shape} {...props} />
      </figure>
    )
  }
  return (
    <figure class="counter-picture">
      {shape.kind === 'token_bucket' ? <Bucket shape={shape} {...props} /> : <Windows shape={shape} {...props} />}
      {outstanding === 0 || limit === null ? null : (
        <LimitBar
          counted={hits - outstanding}
          reserved={outstanding}
          limit={limit}
          text={`${formatNumber(hits - outstanding)} hits are counted for good, ${formatNumber(outstanding)} are reserved, of ${formatNumber(limit)}.`}
        />
      )}
      {outstanding === 0 ? null : (
        <figcaption class="quiet">
          {formatNumber(outstanding)} of the hits are reserved or leased
          {shape.reserve === null
            ? ''
            : `; not settled within ${duration(shape.reserve.seconds)}, they are ${shape.reserve.unsettled}`}
          .
        </figcaption>
      )}
    </figure>
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

function Windows({ shape, hits, limit, secondsUntilReset }: DrawingProps): JSX.Element {
  const seconds = now.value / 1000
  const { start, end } = findWindow(shape, seconds, secondsUntilReset)
  const passed = Math.min(1, Math.max(0, (seconds - start) / (end - start)))
  const isSliding = shape.kind === 'sliding'
  const used =
    limit === null ? `${formatNumber(hits)} hits count` : `${formatNumber(hits)} of ${formatNumber(limit)} hits count`
  const text = isSliding
    ? `${used}: those of the open window, and ${Math.round((1 - passed) * 100)} % of those of the window before.`
    : `${used} from ${dateTime(start * 1000)} to ${dateTime(end * 1000)}.`
  const at = isSliding ? 100 + passed * 100 : passed * 200
  return (
    <>
      <svg viewBox="0 0 200 36" role="img" aria-label={text}>
        {isSliding ? <rect class="used fading" x={passed * 100} y="10" width={(1 - passed) * 100} height="16" /> : null}
        <rect class="used" x={isSliding ? 100 : 0} y="10" width={isSliding ? passed * 100 : at} height="16" />
        <path class="edge" d={`M.5 8v20h199V8M.5 28${isSliding ? 'M100 8v20' : ''}`} />
        <path class="now" d={`M${at} 2v32`} />
      </svg>
      <figcaption>
        {text}{' '}
        {isSliding
          ? ''
          : `The window ends in ${duration(end - seconds)}${shape.zone === '' ? '' : `, by the calendar in ${shape.zone}`}.`}
      </figcaption>
    </>
  )
}

/** A time between two hits, which may be less than a second. */
function describeSpan(seconds: number): string {
  return seconds < 1 ? `${formatNumber(seconds * 1000, 0)} ms` : duration(seconds)
}
