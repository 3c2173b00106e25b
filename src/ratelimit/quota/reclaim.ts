/** Finds the holder that an Envoy goes on with on a new stream. A stream has no name that outlives it; its client may. */

import type { Pool } from './pool.ts'
import type { Usage } from './report.ts'

/** Client that opened a stream, by its front. */
export interface Client {
  readonly id: string
  /** True for a name that an operator has given to one Envoy, false for an address, which Envoys may share. */
  readonly isNamed: boolean
}

/** A holder whose stream has ended. */
interface Detached {
  /** The name of its bucket. */
  readonly bucket: string
  readonly holder: string
}

/** Clients with open streams or detached holders. */
export type Reclaims = ReturnType<typeof createReclaims>

/** The first report of a bucket on a new stream. */
interface ClaimingReport {
  readonly usage: Usage
  readonly pool: Pool
  readonly nowMs: number
}

interface KnownClient {
  streams: number
  isShared: boolean
  /** Holders by the name of their bucket. */
  readonly detached: Map<string, Set<string>>
}

/** Starts without clients. */
export function createReclaims() {
  const clients = new Map<string, KnownClient>()

  function findOrAdd({ id }: Client): KnownClient {
    const found = clients.get(id)
    if (found !== undefined) return found
    const added = { streams: 0, isShared: false, detached: new Map() }
    clients.set(id, added)
    return added
  }

  function forgetUnused({ id }: Client): void {
    const client = clients.get(id)
    if (client?.streams === 0 && client.detached.size === 0) clients.delete(id)
  }

  return {
    /** Notes that a client has opened a stream. */
    open(client: Client): void {
      const known = findOrAdd(client)
      known.streams += 1
      if (known.streams > 1) known.isShared = true
    },

    /** Notes that a stream of a client has ended. */
    close(client: Client): void {
      findOrAdd(client).streams -= 1
      forgetUnused(client)
    },

    /** Tells whether the client has had one stream at a time for as long as it is known: two are two Envoys. */
    isUnique: ({ id }: Client): boolean => clients.get(id)?.isShared !== true,

    /** Keeps a holder whose stream has ended, for its client to go on with. */
    keep(client: Client, { bucket, holder }: Detached): void {
      const { detached } = findOrAdd(client)
      detached.set(bucket, (detached.get(bucket) ?? new Set()).add(holder))
    },

    /** Forgets a holder that its client goes on with, or that has left. */
    forget(client: Client, { bucket, holder }: Detached): void {
      const detached = clients.get(client.id)?.detached
      const holders = detached?.get(bucket)
      holders?.delete(holder)
      if (holders?.size === 0) detached?.delete(bucket)
      forgetUnused(client)
    },

    /**
     * Finds the detached holder that sent a report.
     *
     * It is the only one of its client and bucket, the client has one stream, and the report fits it. A report of an
     * address has hits that passed: an Envoy that fails closed has none without an assignment, so it is not a new one.
     */
    find(client: Client, bucket: string, { usage, pool, nowMs }: ClaimingReport): string | undefined {
      const known = clients.get(client.id)
      const [holder, ...others] = known?.detached.get(bucket) ?? []
      if (known === undefined || known.isShared || holder === undefined || others.length > 0) return undefined
      if (usage.elapsed < 1 || (usage.allowed === 0 && !client.isNamed)) return undefined
      return pool.fits(holder, usage, nowMs) ? holder : undefined
    },
  }
}
