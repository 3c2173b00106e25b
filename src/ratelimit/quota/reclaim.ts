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

  function known({ id }: Client): KnownClient {
    const found = clients.get(id)
    if (found !== undefined) return found
    const made = { streams: 0, isShared: false, detached: new Map() }
    clients.set(id, made)
    return made
  }

  function forgetUnused({ id }: Client): void {
    const client = clients.get(id)
    if (client?.streams === 0 && client.detached.size === 0) clients.delete(id)
  }

  return {
    open(client: Client): void {
      const one = known(client)
      one.streams += 1
      if (one.streams > 1) one.isShared = true
    },
    close(client: Client): void {
      known(client).streams -= 1
      forgetUnused(client)
    },
    /** Tells whether the client has had one stream at a time for as long as it is known: two are two Envoys. */
    isUnique: ({ id }: Client) => clients.get(id)?.isShared !== true,
    keep(client: Client, { bucket, holder }: Detached): void {
      const { detached } = known(client)
      detached.set(bucket, (detached.get(bucket) ?? new Set()).add(holder))
    },
    forget(client: Client, { bucket, holder }: Detached): void {
      const holders = clients.get(client.id)?.detached.get(bucket)
      holders?.delete(holder)
      if (holders?.size === 0) clients.get(client.id)?.detached.delete(bucket)
      forgetUnused(client)
    },
    /**
     * Finds the detached holder that sent a report.
     *
     * It is the only one of its client and bucket, the client has one stream, and the report fits it. A report of an
     * address has hits that passed: an Envoy that fails closed has none without an assignment, so it is not a new one.
     */
    find(client: Client, bucket: string, { usage, pool, nowMs }: ClaimingReport): string | undefined {
      const one = clients.get(client.id)
      const holders = [...(one?.detached.get(bucket) ?? [])]
      const [holder] = holders
      if (one === undefined || one.isShared || holder === undefined || holders.length > 1) return undefined
      if (usage.elapsed < 1 || (usage.allowed === 0 && !client.isNamed)) return undefined
      return pool.fits(holder, usage, nowMs) ? holder : undefined
    },
  }
}
