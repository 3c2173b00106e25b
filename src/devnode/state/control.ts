/** Settings of development methods: the kind of mining, the clock, and the failures to answer next. */

import { readJson } from '../keys.ts'
import type { LedgerStore } from '../ports.ts'
import type { Mining } from '../settings.ts'

/** The clock of the chain against the clock of the world. */
export interface Clock {
  /** Milliseconds that the chain is ahead. */
  readonly offsetMs: number
  /** UNIX milliseconds of the next block, once; undefined leaves it to the clock. */
  readonly nextBlockMs?: number
}

/** The failures that can be asked for, each as a real node, or a proxy in front of it, would fail. */
export const faultKinds = [
  'invalid_nonce',
  'mempool_full',
  'catching_up',
  'no_backend',
  'connection_refused',
  'no_such_host',
  'connection_reset',
  'unexpected_eof',
  'deadline_exceeded',
  'applied_then_lost',
  'failed_to_estimate_price',
  'internal_error',
  'signature_lost',
  'vote_lost',
] as const

/** One of the failures. */
export type FaultKind = (typeof faultKinds)[number]

/** Failures of a step that the node takes by itself in a block, by the name that is used as its method. */
export const stepFaults: Partial<Readonly<Record<FaultKind, string>>> = {
  signature_lost: 'sign_attestation',
  vote_lost: 'vote_epoch',
}

/** A failure that waits for its method to be called. */
export interface Fault {
  readonly method: string
  readonly kind: FaultKind
  /** The calls that it still fails. */
  readonly times: number
}

const miningKey = 'control-mining'
const clockKey = 'control-clock'
const faultsKey = 'control-faults'
const impersonatedKey = 'control-impersonated'

/** Reads the kind of mining: with every transaction unless a development method set another one. */
export function readMining(store: LedgerStore): Mining {
  return readJson<Mining>(store, miningKey) ?? { kind: 'auto' }
}

/** Changes when blocks are made. */
export function putMining(store: LedgerStore, mining: Mining): void {
  store.put(miningKey, JSON.stringify(mining))
}

/** The clock; the platform's unless a development method set another. */
export function readClock(store: LedgerStore): Clock {
  return readJson<Clock>(store, clockKey) ?? { offsetMs: 0 }
}

/** Sets the clock. */
export function putClock(store: LedgerStore, clock: Clock): void {
  store.put(clockKey, JSON.stringify(clock))
}

/** The wallets, in lower case, for whom any key may sign. */
export function readImpersonated(store: LedgerStore): readonly string[] {
  return readJson<readonly string[]>(store, impersonatedKey) ?? []
}

/** Replaces the wallets for whom any key may sign. */
export function putImpersonated(store: LedgerStore, wallets: readonly string[]): void {
  if (wallets.length === 0) store.delete(impersonatedKey)
  else store.put(impersonatedKey, JSON.stringify(wallets))
}

/** The failures that wait, oldest first. */
export function readFaults(store: LedgerStore): readonly Fault[] {
  return readJson<readonly Fault[]>(store, faultsKey) ?? []
}

/** Replaces the failures that wait. */
export function putFaults(store: LedgerStore, faults: readonly Fault[]): void {
  if (faults.length === 0) store.delete(faultsKey)
  else store.put(faultsKey, JSON.stringify(faults))
}

/** Takes one failure for a method, if any waits. */
export function takeFault(store: LedgerStore, method: string): FaultKind | undefined {
  const faults = readFaults(store)
  const fault = faults.find((one) => one.method === method)
  if (fault === undefined) return undefined
  const left = fault.times > 1 ? [{ ...fault, times: fault.times - 1 }] : []
  putFaults(
    store,
    faults.flatMap((one) => (one === fault ? left : [one])),
  )
  return fault.kind
}
