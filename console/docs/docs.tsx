/** The operations of every service, from their OpenAPI documents. */

import type { JSX } from 'preact'
import type { RoomProps } from '../frame/lazy.tsx'

/** The page at `/docs`. */
export function Docs(_: RoomProps): JSX.Element {
  return <h1>Docs</h1>
}
