/** From an operation's name and checked parameters to its result. */

import { findOperation } from '../streamnet/catalogue.ts'
import { type Client, operations } from '../streamnet/index.ts'
import { GatewayError } from './errors.ts'

/** Checked parameters in the client's names. */
export type Params = Readonly<Record<string, unknown>>

/** The longest that a request waits for a block, in milliseconds. */
export const maxWaitMs = 60_000
/** The wait when the caller says nothing. */
export const usualWaitMs = 30_000

/** Bounds the time that a request waits for a block, in milliseconds. */
export function boundWaitMs(timeoutMs: unknown): number {
  return Math.min(typeof timeoutMs === 'number' ? timeoutMs : usualWaitMs, maxWaitMs)
}

/** Runs an operation by its exact name; unknown_operation, or the error of the operation. */
export async function runOperation(client: Client, name: string, params: Params): Promise<unknown> {
  const entry = findOperation(name)
  if (entry === undefined) throw new GatewayError('unknown_operation', `Cannot run "${name}": it does not exist`)
  const { timeoutMs } = params
  const waiting = entry.parameters.some((parameter) => parameter.name === 'timeout_ms')
    ? { timeoutMs: boundWaitMs(timeoutMs) }
    : {}
  // Every operation takes a client and one object, whose shape is the entry's: see test/streamnet/catalogue.test.ts.
  const operation = operations[entry.operation] as (client: Client, params: Params) => unknown
  const result = await operation(client, { ...params, ...waiting })
  return name === 'call_procedure' ? integersAsText(result) : result
}

/** Integers of any action come out as text at any size: a caller cannot know which column may pass 2^53. */
function integersAsText(value: unknown): unknown {
  if (typeof value === 'number') return String(value)
  if (Array.isArray(value)) return value.map(integersAsText)
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, integersAsText(member)]))
}
