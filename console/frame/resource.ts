/** Requests of a view: resources that are loaded and polled while the page is visible, and actions that a person starts. */

import { useEffect, useRef, useState } from 'preact/hooks'
import { messageOf } from '#base/errors.ts'
import { ask } from './api.ts'
import { ConsoleError } from './errors.ts'
import { credentials, type Surface } from './session.ts'

/** The state of a resource. */
export interface Resource<T> {
  readonly data?: T | undefined
  readonly error?: ConsoleError | undefined
  readonly reload: () => void
}

interface LoadState<T> {
  readonly key: string
  readonly data?: T
  readonly error?: ConsoleError
  /** The credentials of the request that failed. */
  readonly asked?: object
}

/** After a failure it is tried again after so many milliseconds, so that a server that comes back is seen. */
const retryMs = 3_000
/** Statuses of a server that is away, or has one behind it that is. */
const awayStatuses: ReadonlySet<number> = new Set([0, 502, 503, 504])

/** Loads a resource, again whenever `key`, a token or the session changes, and every `everyMs` while it is seen. */
export function useResource<T>(load: (signal: AbortSignal) => Promise<T>, key: string, everyMs?: number): Resource<T> {
  const [state, setState] = useState<LoadState<T>>({ key })
  const latest = useRef(load)
  latest.current = load
  const again = useRef(() => {})
  const session = credentials.value
  useEffect(() => {
    const stopping = new AbortController()
    again.current = keepLoading({
      load: (signal) => latest.current(signal),
      everyMs,
      signal: stopping.signal,
      onData: (data) => setState({ key, data }),
      onFailure: (error) =>
        setState((before) => ({ ...(before.key === key ? before : { key }), error, asked: session })),
    })
    return () => stopping.abort()
  }, [key, everyMs, session])
  const reload = () => again.current()
  const { data, error, asked } = state.key === key ? state : {}
  return {
    data,
    // A refusal says nothing of the tokens that have been given since.
    error: asked === session ? error : undefined,
    reload,
  }
}

interface Loading<T> {
  readonly load: (signal: AbortSignal) => Promise<T>
  readonly everyMs: number | undefined
  /** Ends it. */
  readonly signal: AbortSignal
  readonly onData: (data: T) => void
  readonly onFailure: (failure: ConsoleError) => void
}

/**
 * Loads now and from time to time.
 *
 * @returns loads once more: after the load that is on its way, which those who ask often would otherwise never let end.
 */
export function keepLoading<T>({ load, everyMs, signal, onData, onFailure }: Loading<T>): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isLoading = false
  let isStale = false
  const later = (ms: number) => {
    timer = setTimeout(() => (document.hidden ? later(ms) : void run()), ms)
  }
  const fail = (error: unknown) => {
    const failure = failureFrom(error)
    const isAway = awayStatuses.has(failure.status)
    const hint = failure.hint ?? (isAway ? 'The console tries again by itself until the server is back.' : undefined)
    onFailure(new ConsoleError(failure.message, { ...failure, hint }))
    return everyMs !== undefined || isAway ? Math.max(everyMs ?? 0, retryMs) : undefined
  }
  const run = async () => {
    clearTimeout(timer)
    isLoading = true
    isStale = false
    let waitMs = everyMs
    try {
      const data = await load(signal)
      if (!signal.aborted) onData(data)
    } catch (error) {
      if (!signal.aborted) waitMs = fail(error)
    }
    isLoading = false
    if (signal.aborted) return
    if (isStale) void run()
    else if (waitMs !== undefined) later(waitMs)
  }
  signal.addEventListener('abort', () => clearTimeout(timer))
  void run()
  return () => {
    if (isLoading) isStale = true
    else if (!signal.aborted) void run()
  }
}

/** Loads the JSON at a path of a service. @param round - Another one drops what was loaded. */
export function useAnswer<T>(
  surface: Surface,
  path: string,
  everyMs?: number,
  round: string | number = '',
): Resource<T> {
  return useResource((signal) => ask<T>(surface, path, { signal }), `${path} ${round}`, everyMs)
}

/** The error as the console shows it; a mistake of the console itself keeps its message. */
export function failureFrom(error: unknown): ConsoleError {
  if (error instanceof ConsoleError) return error
  return new ConsoleError(messageOf(error), { status: -1 })
}

/** An action of a view: at rest, running, or failed the last time. */
export interface Action {
  readonly isBusy: boolean
  readonly error: ConsoleError | null
  /** Runs it; its error is shown until it runs again. */
  readonly run: (act: () => Promise<unknown>) => void
}

/** Remembers whether an action of the component runs, and why it failed. */
export function useAction(): Action {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<ConsoleError | null>(null)
  const run = async (act: () => Promise<unknown>) => {
    setBusy(true)
    setError(null)
    await act().catch((failure) => setError(failureFrom(failure)))
    setBusy(false)
  }
  return { isBusy, error, run: (act) => void run(act) }
}
