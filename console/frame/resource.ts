/** What a view shows of a service: loaded, kept while it loads again, and polled while someone looks. */

import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { ask } from './api.ts'
import { ConsoleError } from './errors.ts'
import { credentials, type Surface } from './session.ts'

/** The state of a resource. */
export interface Resource<T> {
  readonly data?: T | undefined
  readonly error?: ConsoleError | undefined
  readonly isLoading: boolean
  readonly reload: () => void
}

interface Loaded<T> {
  readonly key: string
  readonly data?: T
  readonly error?: ConsoleError
  /** The credentials of the request that failed. */
  readonly asked?: object
}

/** After a failure it is tried again after so many milliseconds, so that a server that comes back is seen. */
const retryMs = 3_000

/**
 * Loads a resource, again whenever `key`, a token or the session changes.
 *
 * @param key - Says what is loaded; data of another key is dropped.
 * @param everyMs - Polls while the page is visible; absent: only a failed connection is tried again.
 */
export function useResource<T>(
  load: (signal: AbortSignal) => Promise<T>,
  key: string,
  everyMs?: number,
): Resource<T> {
  const [state, setState] = useState<Loaded<T>>({ key })
  const [isLoading, setLoading] = useState(true)
  const [round, setRound] = useState(0)
  const latest = useRef(load)
  latest.current = load
  const session = credentials.value
  useEffect(() => {
    const stopping = new AbortController()
    const { signal } = stopping
    let timer: ReturnType<typeof setTimeout> | undefined
    const again = (ms: number) => {
      timer = setTimeout(() => (document.hidden ? again(ms) : void run()), ms)
    }
    const run = async () => {
      setLoading(true)
      try {
        const data = await latest.current(signal)
        if (signal.aborted) return
        setState({ key, data })
        if (everyMs !== undefined) again(everyMs)
      } catch (error) {
        if (signal.aborted) return
        const failure = failureFrom(error)
        setState((before) => ({ ...(before.key === key ? before : { key }), error: failure, asked: session }))
        if (everyMs !== undefined || failure.status === 0) again(Math.max(everyMs ?? 0, retryMs))
      }
      setLoading(false)
    }
    void run()
    return () => {
      stopping.abort()
      clearTimeout(timer)
    }
  }, [key, everyMs, round, session])
  const reload = useCallback(() => setRound((before) => before + 1), [])
  const { data, error, asked } = state.key === key ? state : {}
  return {
    data,
    // A refusal says nothing of the tokens that have been given since.
    error: asked === session ? error : undefined,
    isLoading,
    reload,
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
  return new ConsoleError(error instanceof Error ? error.message : String(error), { status: -1 })
}
