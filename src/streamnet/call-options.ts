/** Ends one call of a client: by a signal of its caller, or when its time is over. */

import { invalidArgument, StreamNetError } from './errors.ts'
import type { Client } from './ports.ts'

/** The end of a call. */
export interface CallOptions {
  /** Ends the call when it aborts; nothing is sent after that. */
  readonly signal?: AbortSignal | undefined
  /** Milliseconds for the whole call, its retries and waits included; no bound when left out. */
  readonly timeoutMs?: number | undefined
}

/**
 * Makes a client whose calls end by a signal or after a time. A transaction that is on its way then may still land: the
 * error has its hash.
 *
 * @param options - `timeoutMs` counts from here, in milliseconds.
 * @throws StreamNetError invalid_argument when the time is not 1 to 2^31 - 1 ms.
 *
 * @example
 * const page = new AbortController()
 * const streams = await operations.listStreams(withOptions(client, { signal: page.signal, timeoutMs: 5000 }))
 */
export function withOptions(client: Client, { signal, timeoutMs }: CallOptions): Client {
  if (timeoutMs !== undefined) assertTimer(timeoutMs, 'timeout_ms')
  const deadline = timeoutMs === undefined ? undefined : client.platform.deadline(timeoutMs)
  const signals = [client.signal, signal, deadline].filter((one) => one !== undefined)
  if (signals.length === 0) return client
  const end = AbortSignal.any(signals)
  return {
    ...client,
    signal: end,
    chain: () => until(end, client.chain),
    request: (method, params) => client.request(method, params, end),
    platform: { ...client.platform, sleep: (ms) => until(end, () => client.platform.sleep(ms)) },
    nonces: { ...client.nonces, use: (read, send) => waitTurn(client, end, read, send) },
  }
}

/** Waits for the key's turn until the end; from its turn on the call ends by itself, with the hash in its error. */
function waitTurn<T>(
  client: Client,
  end: AbortSignal,
  read: () => Promise<number>,
  send: (nonce: number) => Promise<T>,
): Promise<T> {
  let isTurn = false
  const use = () =>
    client.nonces.use(
      () => {
        isTurn = true
        return read()
      },
      (nonce) => {
        isTurn = true
        return send(nonce)
      },
    )
  return until(end, use, () => !isTurn)
}

/** Settles as what it starts, or fails as `assertGoing` when the signal comes first and `mayEnd` allows it. */
export function until<T>(end: AbortSignal, start: () => Promise<T>, mayEnd = () => true): Promise<T> {
  return new Promise((resolve, reject) => {
    assertGoing(end, 'the node')
    const stop = () => {
      if (mayEnd()) reject(endOf(end, 'the node'))
    }
    end.addEventListener('abort', stop)
    start()
      .then(resolve, reject)
      .finally(() => end.removeEventListener('abort', stop))
  })
}

/**
 * Refuses to go on with a call that its signal has ended.
 *
 * @throws StreamNetError timeout when the time of the whole call is over.
 * @throws StreamNetError aborted when the caller's signal ended it.
 */
export function assertGoing(signal: AbortSignal | undefined, method: string): void {
  if (signal?.aborted) throw endOf(signal, method)
}

function endOf({ reason: cause }: AbortSignal, method: string): StreamNetError {
  const message = `Cannot call ${method}: its `
  return cause instanceof Error && cause.name === 'TimeoutError'
    ? new StreamNetError('timeout', `${message}time is over`, {}, { cause })
    : new StreamNetError('aborted', `${message}caller ended it`, {}, { cause })
}

/** Checks milliseconds for a timer, which beyond 2^31 - 1 ends at once; else invalid_argument. */
export function assertTimer(ms: number, name: string): void {
  // Also false for what is not a number.
  if (!(ms >= 1 && ms < 2 ** 31)) throw invalidArgument(`${name} must be 1 to 2^31 - 1`)
}
