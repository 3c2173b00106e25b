/** A part of a view that a service answers for: what has come of it, what failed, or that it is on its way. */

import type { ComponentChildren, JSX } from 'preact'
import { Problem, Skeleton } from './components.tsx'
import type { Resource } from './resource.ts'

/** Shows the latest error, and what was loaded last as `children` draws it; grey lines before anything has come. */
export function Loaded<T>(props: {
  readonly of: Resource<T>
  /** Grey lines. */
  readonly rows?: number
  readonly children: (data: T) => ComponentChildren
}): JSX.Element {
  const { data, error, reload } = props.of
  return (
    <>
      <Problem error={error} onRetry={reload} />
      {data !== undefined ? props.children(data) : error === undefined ? <Skeleton rows={props.rows} /> : null}
    </>
  )
}
