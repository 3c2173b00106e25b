/** The bounds that every request is held to before anything is matched or counted. */

import { RatelimitError } from './errors.ts'
import { longestId } from './reservation/reservations.ts'
import type { SettingValues } from './setting-table.ts'
import type { RateLimitRequest } from './types.ts'

/** Bounds on the parts of a request; lengths are in UTF-16 code units. */
type RequestBounds = Pick<
  SettingValues,
  | 'REQUEST_MAX_DOMAIN_LENGTH'
  | 'REQUEST_MAX_DESCRIPTORS'
  | 'REQUEST_MAX_ENTRIES'
  | 'REQUEST_MAX_KEY_LENGTH'
  | 'REQUEST_MAX_VALUE_LENGTH'
>

/**
 * Checks a request against the bounds.
 *
 * @throws RatelimitError request_too_large when it is beyond a bound; the message names the bound and its setting.
 */
export function assertWithinBounds({ domain, descriptors }: RateLimitRequest, bounds: RequestBounds): void {
  const most = (setting: keyof RequestBounds, actual: number, what: string) =>
    atMost(actual, bounds[setting], what, setting)
  most('REQUEST_MAX_DOMAIN_LENGTH', domain.length, 'characters in the domain')
  most('REQUEST_MAX_DESCRIPTORS', descriptors.length, 'descriptors')
  for (const { entries, step } of descriptors) {
    atMost(step?.id.length ?? 0, longestId, 'characters in the id of a reservation', 'a bound of the service')
    most('REQUEST_MAX_ENTRIES', entries.length, 'entries in one descriptor')
    for (const { key, value } of entries) {
      most('REQUEST_MAX_KEY_LENGTH', key.length, 'characters in a key')
      most('REQUEST_MAX_VALUE_LENGTH', value.length, 'characters in a value')
    }
  }
}

function atMost(actual: number, most: number, what: string, setting: string): void {
  if (actual <= most) return
  throw new RatelimitError(
    'request_too_large',
    `Cannot decide: ${actual} ${what}, expected at most ${most} (${setting})`,
  )
}
