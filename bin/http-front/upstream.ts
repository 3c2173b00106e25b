/** The runtime behind the fronts: a pool of connections, none of them used when the runtime may be closing it. */

import { Client } from 'undici'
import { createLag } from './lag.ts'

/** Address of the runtime: a UNIX socket, or a port of this machine. */
export type UpstreamAddress = { readonly socketPath: string } | { readonly host: string; readonly port: number }

const defaultBounds = {
  maxConnections: 4096,
  /** Longest time for the runtime to begin an answer, in milliseconds. */
  answerWithinMs: 300_000,
  /**
   * Greatest age of a connection that carries another request, less the runtime's lag, in milliseconds.
   *
   * The runtime closes a connection 5.0 s after its last answer, without notice. The age is counted from the moment the
   * last request was sent, which is before that answer, so no delay in this process can make it too long.
   *
   * The runtime's own clock does not move while it has work, as when every write waits for a slow disk: it may count
   * from a moment that lies before the request. How long it works at a stretch is at most its lag, so the lag is
   * subtracted.
   */
  reusableMs: 3000,
}

/** The connections to one runtime. */
export type Upstream = ReturnType<typeof createUpstream>

/** One connection, lent for one request. */
export interface UpstreamConnection {
  readonly client: Client
  /** True when it has carried a request before, so that the runtime may be closing it. */
  readonly isReused: boolean
  /** Notes that the answer has begun. */
  answered(): void
  /** Gives the connection back after a whole answer, for the next request. */
  release(): void
  /** Closes the connection: its request was given up or failed. */
  discard(): void
}

/** As long as the platform lets the headers of an answer be, in bytes. */
const maxHeaderBytes = 128 * 1024

/** Longer than any connection lives here: their end is decided by their age, not by the client library. */
const neverMs = 600_000

interface Pooled {
  readonly client: Client
  /** The moment of its last request, in milliseconds of `performance.now()`; 0 before the first. */
  sentAt: number
}

/** Creates the pool; it connects when the first request comes. */
export function createUpstream(address: UpstreamAddress, bounds: Partial<typeof defaultBounds> = {}) {
  const { maxConnections, answerWithinMs, reusableMs } = { ...defaultBounds, ...bounds }
  const lag = createLag()
  /** Connections that wait for a request, the longest unused first. */
  const free: Pooled[] = []
  const used = new Set<Pooled>()

  const open = (): Pooled => ({ client: createClient(address, answerWithinMs), sentAt: 0 })
  const destroy = ({ client }: Pooled) => client.destroy().catch(() => {})
  const retire = () => {
    const now = performance.now()
    const oldest = now - reusableMs + lag.at(now)
    const kept = free.findIndex(({ sentAt }) => sentAt > oldest)
    for (const pooled of free.splice(0, kept < 0 ? free.length : kept)) void destroy(pooled)
  }
  const timer = setInterval(retire, 1000)
  timer.unref()

  const lend = (pooled: Pooled): UpstreamConnection => {
    const isReused = pooled.sentAt > 0
    pooled.sentAt = performance.now()
    used.add(pooled)
    lag.sent(pooled)
    return {
      client: pooled.client,
      isReused,
      answered: () => lag.answered(pooled, performance.now()),
      release() {
        if (used.delete(pooled)) insert(free, pooled)
      },
      discard() {
        lag.forget(pooled)
        if (used.delete(pooled)) void destroy(pooled)
      },
    }
  }

  return {
    /** Lends a connection for one request; null when as many are in use as the bound allows. */
    take(): UpstreamConnection | null {
      if (used.size >= maxConnections) return null
      retire()
      // The one used last: the others grow old and are closed when there is less to do.
      return lend(free.pop() ?? open())
    },
    /** Lends a connection that has carried no request; null as `take`. */
    takeNew: (): UpstreamConnection | null => (used.size >= maxConnections ? null : lend(open())),
    inUse: () => used.size,
    /** Closes every connection, those in use as well. */
    async close(): Promise<void> {
      clearInterval(timer)
      await Promise.all([...free.splice(0), ...used].map(destroy))
    },
  }
}

/** Keeps the list in the order of `sentAt`; almost always the place is the end. */
function insert(free: Pooled[], pooled: Pooled): void {
  let at = free.length
  while (at > 0 && (free[at - 1]?.sentAt ?? 0) > pooled.sentAt) at -= 1
  free.splice(at, 0, pooled)
}

function createClient(address: UpstreamAddress, answerWithinMs: number): Client {
  const isSocket = 'socketPath' in address
  return new Client(isSocket ? 'http://localhost' : `http://${address.host}:${address.port}`, {
    ...(isSocket && { socketPath: address.socketPath }),
    pipelining: 1,
    keepAliveTimeout: neverMs,
    keepAliveMaxTimeout: neverMs,
    headersTimeout: answerWithinMs,
    // An event stream may be silent for as long as nothing happens.
    bodyTimeout: 0,
    maxHeaderSize: maxHeaderBytes,
  })
}
