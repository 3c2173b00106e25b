/** The cases of `test/vectors/ratelimit-cases.json` and the engine that replays one against any target. */

import { readFileSync } from 'node:fs'
import { expect } from 'vitest'

/** A reply of the decision endpoint. */
export interface CaseReply {
  readonly status: number
  readonly body: string
  /** Answer of the same message over gRPC; compared when present. */
  readonly grpc?: { readonly status: number; readonly message?: string }
}

/** A counter of the store: its value and its time to live in seconds, as last set. */
export interface CaseCounter {
  readonly value: number
  readonly ttl: number
}

/** One service with one configuration; what a target cannot do it leaves out, and such cases are not given to it. */
export interface CaseTarget {
  /** Sends a body to /json. */
  request(body: string): Promise<CaseReply>
  healthcheck?(): Promise<{ readonly status: number; readonly body: string }>
  /** Sets the clock, in Unix seconds. */
  setClock?(unix: number): void
  /** Replaces the configuration; null when it was taken, otherwise the error text. */
  reload?(configYaml: readonly string[], env?: Readonly<Record<string, string>>): Promise<string | null>
  /** Makes the store fail with a message; '' works again. */
  failStore?(message: string): void
  /** Every statistic by name. */
  stats?(): Promise<Readonly<Record<string, number>>>
  /** Every live counter by its stamped key, and the keys that are in the per-second store. */
  counters?(): Promise<{
    readonly store: Readonly<Record<string, CaseCounter>>
    readonly perSecondKeys: readonly string[]
  }>
  rlconfig?(): Promise<string>
}

/** State before a case. */
export interface CaseStart {
  readonly env: Readonly<Record<string, string>>
  readonly clock: number | null
  readonly configYaml: readonly string[]
}

/** A target under the start of a case, and what became of the first configuration: null, or the error text. */
export interface StartedCase {
  readonly target: CaseTarget
  readonly loadError: string | null
}

interface RequestExpectation {
  readonly http: number
  readonly body?: string
  readonly http_sequence?: readonly number[]
  readonly overallCode?: string
  readonly statuses?: readonly Readonly<Record<string, unknown>>[]
  readonly responseHeadersToAdd?: unknown
  readonly dynamicMetadata?: unknown
  readonly grpc?: { readonly status: number; readonly message?: string } | null
}

interface StoreExpectation {
  readonly value: number
  readonly ttl?: number
  readonly ttl_min?: number
  readonly ttl_max_exclusive?: number
}

type CaseStep =
  | {
      readonly op: 'request'
      readonly request?: unknown
      readonly raw_body?: string
      readonly repeat?: number
      readonly expect: RequestExpectation
    }
  | { readonly op: 'set_clock'; readonly unix: number }
  | { readonly op: 'advance'; readonly seconds: number }
  | {
      readonly op: 'reload'
      readonly config_yaml: readonly string[]
      readonly env?: Readonly<Record<string, string>>
      readonly expect: { readonly loaded: boolean; readonly error?: string; readonly error_prefix?: string }
    }
  | { readonly op: 'store_fail'; readonly message: string }
  | { readonly op: 'stats'; readonly expect: { readonly counters: Readonly<Record<string, number>> } }
  | {
      readonly op: 'counters'
      readonly expect: {
        readonly store: Readonly<Record<string, StoreExpectation>>
        readonly per_second_store_keys?: readonly string[]
      }
    }
  | { readonly op: 'rlconfig'; readonly expect: { readonly lines_any_order: readonly string[] } }
  | { readonly op: 'healthcheck'; readonly expect: { readonly http: number; readonly body: string } }

/** One recorded case. */
export interface RatelimitCase {
  readonly name: string
  readonly group: string
  readonly parity: string
  readonly needs: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly clock: { readonly unix: number } | null
  readonly config_yaml: readonly string[]
  readonly load: { readonly ok: boolean; readonly error?: string; readonly error_prefix?: string }
  readonly steps: readonly CaseStep[]
}

/** Every recorded case. */
export const ratelimitCases: readonly RatelimitCase[] = JSON.parse(
  readFileSync(new URL('../vectors/ratelimit-cases.json', import.meta.url), 'utf8'),
).cases

/** Replays one case: starts a target as the case says, then takes every step and compares. */
export async function replayCase(one: RatelimitCase, start: (begin: CaseStart) => Promise<StartedCase>): Promise<void> {
  let clock = one.clock?.unix ?? null
  const { target, loadError } = await start({ env: one.env, clock, configYaml: one.config_yaml })
  expectLoad(one.load.ok, one.load, loadError)
  for (const step of one.steps) {
    if (step.op === 'request') await replayRequest(step, target, clock !== null)
    else if (step.op === 'set_clock' || step.op === 'advance') {
      clock = step.op === 'set_clock' ? step.unix : (clock ?? 0) + step.seconds
      able(target.setClock)(clock)
    } else if (step.op === 'reload') {
      expectLoad(step.expect.loaded, step.expect, await able(target.reload)(step.config_yaml, step.env))
    } else if (step.op === 'store_fail') able(target.failStore)(step.message)
    else if (step.op === 'stats') expectStats(await able(target.stats)(), step.expect.counters)
    else if (step.op === 'counters') expectCounters(await able(target.counters)(), step.expect)
    else if (step.op === 'rlconfig') {
      const lines = (await able(target.rlconfig)()).split('\n').filter((line) => line !== '')
      expect(lines.toSorted()).toEqual(step.expect.lines_any_order.toSorted())
    } else {
      const { status, body } = await able(target.healthcheck)()
      expect({ http: status, body }).toEqual(step.expect)
    }
  }
}

function able<T>(ability: T | undefined): T {
  if (ability === undefined) throw new Error('the case needs what its target cannot do')
  return ability
}

function expectLoad(
  isOk: boolean,
  expected: { readonly error?: string; readonly error_prefix?: string },
  error: string | null,
): void {
  if (isOk) expect(error).toBeNull()
  else if (expected.error !== undefined) expect(error).toBe(expected.error)
  else if (expected.error_prefix !== undefined) {
    expect(error?.slice(0, expected.error_prefix.length)).toBe(expected.error_prefix)
  } else expect(error).not.toBeNull()
}

async function replayRequest(
  step: Extract<CaseStep, { op: 'request' }>,
  target: CaseTarget,
  hasClock: boolean,
): Promise<void> {
  const body = step.raw_body ?? JSON.stringify(step.request)
  const replies: CaseReply[] = []
  for (let turn = 0; turn < (step.repeat ?? 1); turn++) replies.push(await target.request(body))
  const last = replies.at(-1)
  if (last === undefined) throw new Error('the case repeats a request zero times')
  const expected = step.expect
  if (expected.http_sequence) expect(replies.map((reply) => reply.status)).toEqual(expected.http_sequence)
  expect(last.status, last.body).toBe(expected.http)
  if (expected.grpc != null && last.grpc !== undefined) expect(last.grpc).toMatchObject(expected.grpc)
  if (expected.body !== undefined) expect(last.body).toBe(expected.body)
  if (expected.overallCode !== undefined) expectMessage(JSON.parse(last.body), expected, hasClock)
}

function expectMessage(
  message: Readonly<Record<string, unknown>>,
  expected: RequestExpectation,
  hasClock: boolean,
): void {
  expect(message.overallCode).toBe(expected.overallCode)
  const statuses = Array.isArray(message.statuses) ? message.statuses : []
  const compared = hasClock
    ? statuses
    : statuses.map(({ durationUntilReset: _, ...status }: Record<string, unknown>) => status)
  expect(compared).toEqual(expected.statuses)
  expect(message.responseHeadersToAdd).toEqual(expected.responseHeadersToAdd)
  expect(message.dynamicMetadata).toEqual(expected.dynamicMetadata)
}

function expectStats(stats: Readonly<Record<string, number>>, expected: Readonly<Record<string, number>>): void {
  const present = Object.entries(stats).filter(
    ([name, value]) => value !== 0 && (name.startsWith('ratelimit.service.') || name in expected),
  )
  expect(Object.fromEntries(present)).toEqual(expected)
}

function expectCounters(
  { store, perSecondKeys }: Awaited<ReturnType<NonNullable<CaseTarget['counters']>>>,
  expected: Extract<CaseStep, { op: 'counters' }>['expect'],
): void {
  expect(Object.keys(store).toSorted()).toEqual(Object.keys(expected.store).toSorted())
  for (const [key, { value, ttl, ttl_min, ttl_max_exclusive }] of Object.entries(expected.store)) {
    const counter = store[key]
    expect(counter?.value, key).toBe(value)
    if (ttl !== undefined) expect(counter?.ttl, key).toBe(ttl)
    if (ttl_min !== undefined) expect(counter?.ttl, key).toBeGreaterThanOrEqual(ttl_min)
    if (ttl_max_exclusive !== undefined) expect(counter?.ttl, key).toBeLessThan(ttl_max_exclusive)
  }
  if (expected.per_second_store_keys) {
    expect(perSecondKeys.toSorted()).toEqual(expected.per_second_store_keys.toSorted())
  }
}
