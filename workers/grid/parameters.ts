/** Checks the parameters of a query: unknown ones are an error, or a warning where the contract allows them. */

import { nearest } from '#base/nearest.ts'
import { GridError } from '#grid/errors.ts'
import { everyRoute, type Route } from './routes.ts'

/** The header that carries warnings, for answers whose body is not JSON too. */
export const warningHeader = 'x-grid-warning'

/** Most unknown parameters that are named. */
const maximumListed = 5

/** Most characters of a parameter's name or value that are repeated. */
const shownLength = 64

/** The thirteen endpoints of the interface's description, which answer 200 with any other parameters of a query. */
const describedPaths: ReadonlySet<string> = new Set(everyRoute.slice(0, 13).map(({ path }) => path))

/**
 * Finds the parameters of a query that a route does not have: at most five warnings in ASCII, or a refusal.
 *
 * @throws GridError invalid_request when a parameter is unknown, on routes that the interface's description does not have.
 */
export function checkParameters({ path, query = {} }: Route, { searchParams }: URL): readonly string[] {
  const known = Object.keys(query)
  const unknown = [...new Set(searchParams.keys())].filter((name) => !known.includes(name))
  const mistakes = unknown.slice(0, maximumListed).map((name) => ({ name, right: suggestName(name, known) }))
  const [first] = mistakes
  if (first !== undefined && !describedPaths.has(path)) {
    throw new GridError('invalid_request', `Unknown parameter "${show(first.name)}"`, { hint: first.right })
  }
  return mistakes.map(({ name, right }) => `Unknown parameter "${show(name)}" was ignored. ${right}`)
}

function suggestName(name: string, known: readonly string[]): string {
  if (known.length === 0) return 'This path takes no parameters'
  const meant = nearest(name, known)
  return meant === undefined ? `Parameters are ${known.join(', ')}` : `Did you mean "${meant}"?`
}

/** Shortens a name, without characters that a header cannot carry. */
function show(name: string): string {
  return name.slice(0, shownLength).replace(/[^\x20-\x7e]/g, '?')
}

/**
 * Reads which columns a CSV export has: `extended`, or the usual nine; any other word is refused.
 *
 * @throws GridError invalid_request when it is any other word: its sender would look for columns that are not there.
 */
export function parseColumns(text: string | undefined): 'csv' | 'csv-extended' {
  if (text === undefined) return 'csv'
  if (text === 'extended') return 'csv-extended'
  throw new GridError('invalid_request', `Cannot export: columns is "${text.slice(0, shownLength)}"`, {
    hint: 'Send columns=extended, or leave columns out for the nine columns',
  })
}

/**
 * Reads whose side of the attackers a capture shows: `before`, or the receivers'; any other word is refused.
 *
 * @throws GridError invalid_request when it is any other word: its sender would take one side for the other.
 */
export function parseTap(text: string | undefined): 'pcap' | 'pcap-before' {
  if (text === undefined || text === 'after') return 'pcap'
  if (text === 'before') return 'pcap-before'
  throw new GridError('invalid_request', `Cannot export: tap is "${text.slice(0, shownLength)}"`, {
    hint: 'Send tap=before for what was sent, tap=after or none for what arrived',
  })
}
