/** The names of every room that runs here, also of those that were not opened: read when the search opens. */

import { type Named, offerNames } from './find.ts'
import { openRooms, type RoomPlace } from './rooms.ts'

/** Reads the names of a room; its requests are aside, because the search may be about another room. */
type NameReader = (signal: AbortSignal) => Promise<readonly Named[]>

/** The code of each room's reader, which is loaded when it is first needed. */
export type NameReaders = Readonly<Record<RoomPlace['name'], () => Promise<NameReader>>>

/**
 * Reads the names of all rooms and offers them to the search, those of each room as they come.
 *
 * @returns the titles of the rooms whose names could not be read, as without a token.
 */
export async function readEveryName(readers: NameReaders, signal: AbortSignal): Promise<readonly string[]> {
  const outcomes = await Promise.all(
    openRooms().map(async ({ name, title }) => {
      const names = await readers[name]()
        .then((readNames) => readNames(signal))
        .catch(() => null)
      if (names !== null) offerNames(`every ${name}`, names)
      return names === null ? [title] : []
    }),
  )
  return outcomes.flat()
}
