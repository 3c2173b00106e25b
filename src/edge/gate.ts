/**
 * Questions of the surfaces to the rate limiter about their own requests, and its answers. The rules are in
 * the domain `sluice`; `examples/ratelimit/config/sluice.yaml` has those that are shipped.
 */

import { isRecord } from '../base/json.ts'
import { counted } from '../base/naming.ts'
import { clientNetwork } from './client-network.ts'

/** Kind of a request, by its name in rules. */
export type GateOperation = 'read' | 'write' | 'stream'

/** One request, as rules see it. */
export interface GateSubject {
  readonly operation: GateOperation
  /** The address of the client; empty where the platform gives none. */
  readonly address: string
  /** The beginning of the hash of its token, never the token; undefined for a request without one. */
  readonly token: string | undefined
}

/** The domain of the rules. */
export const gateDomain = 'sluice'

/** Longest wait of a request for the rate limiter, in milliseconds; then it passes. */
export const gateTimeoutMs = 250

/** Pause after a failure of the rate limiter, in milliseconds, so that an outage delays few requests. */
export const gatePauseMs = 1_000

interface Entry {
  readonly key: string
  readonly value: string
}

/**
 * Writes the question whether a request may go on, as `POST /json` takes it: one hit of the operation for the address
 * and for the token, and a look at the failed tokens of the address that counts nothing.
 */
export function askGate({ operation, address, token }: GateSubject): string {
  const hit = { key: 'operation', value: operation }
  const descriptors = [
    { entries: addressEntries(address, failedToken), hitsAddend: 0 },
    { entries: addressEntries(address, hit) },
    ...(token === undefined ? [] : [{ entries: [{ key: 'token', value: token }, hit] }]),
  ]
  // A request without a token cannot guess one.
  return JSON.stringify({ domain: gateDomain, descriptors: token === undefined ? descriptors.slice(1) : descriptors })
}

/** Writes the hit that an address gets for a token that the surface refused. */
export function chargeFailedToken(address: string): string {
  return JSON.stringify({ domain: gateDomain, descriptors: [{ entries: addressEntries(address, failedToken) }] })
}

const failedToken: Entry = { key: 'operation', value: 'failed_token' }

function addressEntries(address: string, operation: Entry): readonly Entry[] {
  // Rules do not match empty values, and all clients without an address are one.
  return [{ key: 'address', value: address === '' ? 'unknown' : clientNetwork(address) }, operation]
}

/** The longest wait that a client is asked for, in seconds. */
const longestRetry = 86_400

/**
 * Reads how long a refused client has to wait.
 *
 * @param status - of the rate limiter's answer.
 * @param body - its JSON.
 * @returns whole seconds, 1 or more; null when the request may go on, which it may after any answer but 429.
 */
export function readGateAnswer(status: number, body: unknown): number | null {
  if (status !== 429) return null
  const statuses = isRecord(body) && Array.isArray(body.statuses) ? body.statuses : []
  const waits = statuses
    .filter((one) => isRecord(one) && one.code === 'OVER_LIMIT')
    .map((one) => Math.ceil(Number.parseFloat(String(one.durationUntilReset))))
    .filter((seconds) => seconds > 0)
  return Math.min(Math.max(1, ...waits), longestRetry)
}

/** The sentence that a refused client reads, in each surface's form of a problem. */
export function gateRefusal(seconds: number): string {
  return `Cannot answer: too many requests, try again in ${counted(seconds, 'second')}`
}
