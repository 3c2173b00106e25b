/** The bounds that every request is held to before anything is matched or counted. */

import { RatelimitError } from './errors.ts'
import { longestId } from './reservation/reservations.ts'
import type { RequestBounds } from './settings.ts'
import type { Entry, RateLimitRequest } from './types.ts'

/**
 * Checks a request against the bounds.
 *
 * @throws RatelimitError request_too_large when it is beyond a bound; the message names the bound and its setting.
 */
export function assertWithinBounds(request: RateLimitRequest, bounds: RequestBounds): void {
  const { domain, descriptors } = request
  atMost(domain.length, bounds.domainLength, 'characters in the domain', 'REQUEST_MAX_DOMAIN_LENGTH')
  atMost(descriptors.length, bounds.descriptors, 'descriptors', 'REQUEST_MAX_DESCRIPTORS')
  for (const { entries, step } of descriptors) {
    atMost(step?.id.length ?? 0, longestId, 'characters in the id of a reservation', 'a bound of the service')
    atMost(entries.length, bounds.entriesPerDescriptor, 'entries in one descriptor', 'REQUEST_MAX_ENTRIES')
    for (const entry of entries) assertEntry(entry, bounds)
  }
}

function assertEntry({ key, value }: Entry, bounds: RequestBounds): void {
  atMost(key.length, bounds.keyLength, 'characters in a key', 'REQUEST_MAX_KEY_LENGTH')
  atMost(value.length, bounds.valueLength, 'characters in a value', 'REQUEST_MAX_VALUE_LENGTH')
}

function atMost(actual: number, most: number, what: string, setting: string): void {
  if (actual <= most) return
  throw new RatelimitError(
    'request_too_large',
    `Cannot decide: ${actual} ${what}, expected at most ${most} (${setting})`,
  )
}
