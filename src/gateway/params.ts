/** Parameters of an operation: JSON in the caller's names in, the client's parameters out. */

import type * as z from 'zod'
import { memo } from '../base/memo.ts'
import { findSlips } from '../streamnet/catalogue/slips.ts'
import type { GatewayEntry } from './entries.ts'
import { GatewayError, type Mistake } from './errors.ts'
import type { Params } from './handle.ts'
import { describeMistakes } from './param-mistakes.ts'
import { createRecord, maxMistakes } from './validators.ts'

/**
 * Checks the parameters of an operation.
 *
 * @param input - JSON in snake case; null and undefined mean that nothing was sent.
 * @returns the client's parameters in camel case; what was left out, or null, is left out.
 * @throws GatewayError invalid_params when a parameter is malformed, or looks like a slip and `force` is not
 * set; the message has every mistake and its path. Also when it has more than 50,000 values, a job 160,000.
 */
export function readParams(entry: GatewayEntry, input: unknown): Params {
  assertFewValues(entry, input)
  const result = createValidator(entry).safeParse(input ?? {})
  if (!result.success) throw refused(entry, takeFirst(mistakesIn(result.error.issues, entry), maxMistakes))
  const { force, ...params } = result.data
  const slips = force === true ? [] : takeFirst(findSlips(entry.name, params), maxMistakes)
  if (slips.length > 0) throw refused(entry, slips)
  return params
}

/** The most values of one call, of any depth: each takes a microsecond or two. */
const maxValues = 50_000
/** The same of a bulk insertion, whose 25,000 records have up to 6 each. */
const maxBulkValues = 160_000

function assertFewValues(entry: GatewayEntry, input: unknown): void {
  const most = entry.kind === 'job' ? maxBulkValues : maxValues
  let count = 0
  const rest = [input]
  while (rest.length > 0) {
    const value = rest.pop()
    if (typeof value !== 'object' || value === null) continue
    for (const member of Object.values(value)) {
      count += 1
      if (count > most) throw tooMany(entry, most)
      rest.push(member)
    }
  }
}

function tooMany({ name }: GatewayEntry, most: number): GatewayError {
  const state = `the body has more than ${most} values, expected fewer; split the call`
  return new GatewayError('invalid_params', `Cannot run ${name}: ${state}`)
}

function* mistakesIn(issues: Iterable<z.core.$ZodIssue>, entry: GatewayEntry): Generator<Mistake> {
  for (const issue of issues) yield* describeMistakes(issue, entry)
}

function refused(entry: GatewayEntry, mistakes: readonly Mistake[]): GatewayError {
  const [first] = mistakes
  return new GatewayError(
    'invalid_params',
    `Cannot run ${entry.name}: ${first ? `${first.path || 'the body'} ${first.message}` : 'its parameters are wrong'}`,
    { mistakes },
  )
}

function takeFirst<T>(all: Iterable<T>, count: number): readonly T[] {
  const first: T[] = []
  for (const one of all) if (first.push(one) === count) break
  return first
}

// Made when first used: a Worker that starts should not pay for operations that are never asked for.
const createValidator = memo((entry: GatewayEntry) => createRecord(entry.parameters))
