/** Ends one call of a client: by a signal of its caller, or when its time is over. */

import { invalidArgument } from './errors.ts'
import type { Client } from './ports.ts'
import { assertGoing } from './rpc/transport.ts'

/** The end of a call. */
export interface CallOptions {
  /** Ends the call when it aborts; nothing is sent after that. */
  readonly signal?: AbortSignal | undefined
  /** Milliseconds for the whole call, its retries and waits included; no bound when left out. */
  readonly timeoutMs?: number | undefined
}

/**
 * A client whose calls end by a signal or after a time. A transaction that is on its way then may still land: the
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
  if (timeoutMs !== undefined && !(timeoutMs >= 1 && timeoutMs < 2 ** 31)) {
    throw invalidArgument('timeout_ms must be 1 to 2^31 - 1')
  }
  const time = timeoutMs === undefined ? undefined : client.platform.deadline(timeoutMs)
  const signals = [client.signal, signal, time].filter((one) => one !== undefined)
  if (signals.length === 0) return client
  const end = AbortSignal.any(signals)
  return {
    ...client,
    signal: end,
    chain: () => until(end, client.chain()),
    request: (method, params) => client.request(method, params, end),
    platform: { ...client.platform, sleep: (ms) => until(end, client.platform.sleep(ms)) },
    nonces: { ...client.nonces, use: (read, send) => waitTurn(client, end, read, send) },
  }
}

/** Waits for the turn of a key until the end; from its turn on the call ends by itself, with what it knows. */
function waitTurn<T>(
  client: Client,
  end: AbortSignal,
  read: () => Promise<number>,
  send: (nonce: number) => Promise<T>,
): Promise<T> {
  let isTurn = false
  const started = <A, R>(body: (value: A) => Promise<R>) => {
    return (value: A): Promise<R> => {
      isTurn = true
      return body(value)
    }
  }
  const used = client.nonces.use(started<void, number>(read), started(send))
  return until(end, used, () => !isTurn)
}

/** A promise, or the error of the end when that comes first and `mayEnd`. */
export function until<T>(end: AbortSignal, promise: Promise<T>, mayEnd = () => true): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      if (!mayEnd()) return
      try {
        assertGoing(end, 'the node')
      } catch (error) {
        reject(error)
      }
    }
    if (end.aborted) stop()
    end.addEventListener('abort', stop)
    promise.then(resolve, reject).finally(() => end.removeEventListener('abort', stop))
  })
}
