/** Listings as an operator sends them: read, or refused with the place of the mistake. */

import { isRecord } from '../../base/json.ts'
import { suggest } from '../../base/nearest.ts'
import { RatelimitError } from '../errors.ts'
import { parseNetwork } from '../pattern/network.ts'
import { type Listing, type ListName, listNames } from './lists.ts'

/** A listing as it is sent: `seconds` from now, 0 takes it away, null keeps it for good. */
export interface SentListing extends Omit<Listing, 'until'> {
  readonly seconds: number | null
  readonly reason: string
}

/** Bounds of the lists. */
export const listBounds = {
  /** Listings of one request. */
  sent: 1_000,
  /** Listings of all domains together. */
  kept: 10_000,
  /** Characters of a domain, key or value, and of a reason. */
  text: 1_024,
  reason: 200,
  /** A year: what lasts longer is for good, or a rule. */
  seconds: 31_536_000,
} as const

const members = ['list', 'domain', 'key', 'value', 'cidr', 'seconds', 'reason']
const right = '{"listings": [{"list": "deny", "domain": D, "key": K, "value": V or "cidr": C, "seconds": N}]}'

/**
 * Reads the body of a change.
 *
 * @throws RatelimitError malformed_request when a listing has a mistake; the message has its place.
 * @throws RatelimitError request_too_large when there are more than `listBounds.sent` listings.
 */
export function readListings(body: unknown): readonly SentListing[] {
  const listings = isRecord(body) ? body.listings : undefined
  if (!isRecord(body) || !Array.isArray(listings)) throw malformed(`the body has no list "listings", expected ${right}`)
  const other = Object.keys(body).find((name) => name !== 'listings' && name !== 'version')
  if (other !== undefined) throw malformed(`the body has an unknown member ${quote(other)}, expected ${right}`)
  if (listings.length > listBounds.sent)
    throw new RatelimitError(
      'request_too_large',
      `Cannot change lists: there are ${listings.length} listings, expected at most ${listBounds.sent}`,
    )
  return listings.map((listing: unknown, at) => readListing(listing, `listings[${at}]`))
}

function readListing(sent: unknown, place: string): SentListing {
  if (!isRecord(sent)) throw malformed(`${place} is not an object, expected ${right}`)
  const unknown = Object.keys(sent).find((name) => !members.includes(name))
  if (unknown !== undefined) {
    const right = suggest(unknown, members, `expected ${members.join(', ')}`)
    throw malformed(`${place} has an unknown member ${quote(unknown)}, ${right}`)
  }
  const isNetwork = sent.cidr !== undefined
  if (isNetwork === (sent.value !== undefined))
    throw malformed(
      `${place} has ${isNetwork ? 'both value and cidr' : 'neither value nor cidr'}, expected one of them`,
    )
  return {
    list: readName(sent.list, `${place}.list`),
    domain: readText(sent.domain, `${place}.domain`),
    key: readText(sent.key, `${place}.key`),
    value: isNetwork ? readCidr(sent.cidr, `${place}.cidr`) : readText(sent.value, `${place}.value`),
    isNetwork,
    seconds: readSeconds(sent.seconds ?? null, `${place}.seconds`),
    reason: sent.reason === undefined ? '' : readText(sent.reason, `${place}.reason`, listBounds.reason),
  }
}

function readName(name: unknown, place: string): ListName {
  const found = listNames.find((known) => known === name)
  if (found !== undefined) return found
  throw malformed(`${place} is ${quote(name)}, expected "allow" or "deny"`)
}

function readText(text: unknown, place: string, most: number = listBounds.text): string {
  if (typeof text === 'string' && text !== '' && text.length <= most) return text
  throw malformed(`${place} is ${quote(text)}, expected 1 to ${most} characters`)
}

function readCidr(text: unknown, place: string): string {
  if (typeof text === 'string' && parseNetwork(text) !== null) return text
  throw malformed(
    `${place} is ${quote(text)}, expected a network such as "192.0.2.0/24" or "2001:db8::/32" without bits behind its prefix`,
  )
}

function readSeconds(seconds: unknown, place: string): number | null {
  if (seconds === null) return null
  const isRight = typeof seconds === 'number' && Number.isInteger(seconds) && seconds >= 0
  if (isRight && seconds <= listBounds.seconds) return seconds
  throw malformed(
    `${place} is ${quote(seconds)}, expected 0 to ${listBounds.seconds}, or none for good; 0 takes it away`,
  )
}

function quote(value: unknown): string {
  return value === undefined ? 'missing' : (JSON.stringify(value)?.slice(0, 60) ?? 'missing')
}

function malformed(state: string): RatelimitError {
  return new RatelimitError('malformed_request', `Cannot change lists: ${state}`)
}
