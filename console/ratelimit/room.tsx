/** The room of ratelimit. */

import type { JSX } from 'preact'
import type { RoomProps } from '../frame/lazy.tsx'
import { Empty } from '../frame/pieces.tsx'

/** The room. */
export function Room(_: RoomProps): JSX.Element {
  return (
    <>
      <h1>Rate limit</h1>
      <Empty title="Nothing is shown here yet" />
    </>
  )
}
