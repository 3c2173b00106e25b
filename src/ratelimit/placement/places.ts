/** Places of counters: a jurisdiction and a location hint for each domain, by the words of the platform. */

import { invalidSettings } from '../errors.ts'
import { parseNamedValues } from '../named-values.ts'

/** Jurisdictions, which the object of a counter never leaves. */
export const jurisdictions = ['eu', 'us', 'fedramp', 'fedramp-high'] as const

/** Location hints: regions near which an object is made, where the platform can. */
export const locationHints = [
  'wnam',
  'enam',
  'sam',
  'weur',
  'eeur',
  'apac',
  'apac-ne',
  'apac-se',
  'oc',
  'afr',
  'me',
] as const

/** One of `jurisdictions`. */
export type Jurisdiction = (typeof jurisdictions)[number]

/** One of `locationHints`. */
export type LocationHint = (typeof locationHints)[number]

/** A place; null where the platform chooses. */
export interface Place {
  readonly jurisdiction: Jurisdiction | null
  readonly hint: LocationHint | null
}

/** Value of `COUNTER_PLACES`: places by domain; an empty name is for the domains that it does not name. */
export type DomainPlaces = ReadonlyMap<string, Place>

/** Places by the beginning of a counter's key, the longest first. */
export type CounterPlaces = readonly { readonly prefix: string; readonly place: Place }[]

const anyPlace: Place = { jurisdiction: null, hint: null }

/**
 * Reads places: `weur`, or `shop=eu,pay=apac,bank=eu+eeur`.
 *
 * @returns null when a place has a word that is neither a jurisdiction nor a location hint, or two of a kind; else as
 *   `parseNamedValues`.
 */
export function parsePlaces(text: string): DomainPlaces | null {
  return parseNamedValues(text, parsePlace)
}

function parsePlace(text: string): Place | null {
  const words = text.split('+').map((word) => word.trim().toLowerCase())
  const jurisdiction = jurisdictions.filter((name) => words.includes(name))
  const hint = locationHints.filter((name) => words.includes(name))
  const isPlace = jurisdiction.length <= 1 && hint.length <= 1 && jurisdiction.length + hint.length === words.length
  return isPlace ? { jurisdiction: jurisdiction[0] ?? null, hint: hint[0] ?? null } : null
}

/**
 * Finds the places by the keys of counters, which begin with their domain.
 *
 * @throws RatelimitError invalid_settings when two domains with different places cannot be told apart by their keys.
 */
export function readPlaces(byDomain: DomainPlaces, keyPrefix: string): CounterPlaces {
  const places = [...byDomain].map(([domain, place]) => ({ prefix: domain && `${keyPrefix}${domain}_`, place }))
  places.sort((one, other) => other.prefix.length - one.prefix.length)
  for (const [domain, place] of byDomain) {
    if (domain === '') continue
    const within = [...byDomain].find(
      ([other]) => other.startsWith(`${domain}_`) && !isSame(place, byDomain.get(other)),
    )
    if (within === undefined) continue
    throw invalidSettings(
      `COUNTER_PLACES has different places for "${domain}" and "${within[0]}", whose counters ` +
        'can have the same keys, expected one place for both',
    )
  }
  return places
}

function isSame(one: Place, other: Place | undefined): boolean {
  return one.jurisdiction === other?.jurisdiction && one.hint === other.hint
}

/** Finds the place of a counter. */
export function findPlace(key: string, places: CounterPlaces): Place {
  return places.find(({ prefix }) => key.startsWith(prefix))?.place ?? anyPlace
}
