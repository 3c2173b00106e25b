/** Event streams that reconnect: the token goes in a header, and a stream continues after its last event. */

import { signal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import { type IncomingEvent, readEventText, startReading } from '#base/event-stream.ts'
import { credentials, fetchAs, markRefused, type Surface } from './session.ts'

/** The state of a stream; `refused` is one that waits for another token. */
export type LiveState = 'connecting' | 'live' | 'lost' | 'refused'

/** Every open stream with its state, for the dot in the header. */
export const streams = signal<ReadonlyMap<object, LiveState>>(new Map())

/** Milliseconds between attempts: doubled from the first to the last. */
const firstRetryMs = 500
const lastRetryMs = 10_000
/** A stream without an event or a keepalive for this long counts as lost. */
const silentMs = 45_000

/** Reads an event stream while the component is mounted; a path of null reads none. */
export function useLive(surface: Surface, path: string | null, onEvent: (event: IncomingEvent) => void): LiveState {
  const [state, setState] = useState<LiveState>('connecting')
  const latest = useRef(onEvent)
  latest.current = onEvent
  const session = credentials.value
  useEffect(() => {
    if (path === null) return undefined
    const stopping = new AbortController()
    const show = (next: LiveState) => {
      if (stopping.signal.aborted) return
      setState(next)
      streams.value = new Map(streams.peek()).set(stopping, next)
    }
    void follow({ surface, path, show, onEvent: (event) => latest.current(event), signal: stopping.signal })
    return () => {
      stopping.abort()
      const others = new Map(streams.peek())
      others.delete(stopping)
      streams.value = others
    }
  }, [surface, path, session])
  return state
}

/** A stream to read, and who takes its events. */
interface Source {
  readonly surface: Surface
  readonly path: string
  readonly onEvent: (event: IncomingEvent) => void
  readonly signal: AbortSignal
}

async function follow({ show, ...source }: Source & { readonly show: (state: LiveState) => void }): Promise<void> {
  const { signal } = source
  let lastEventId = ''
  let failures = 0
  const onOpen = () => {
    failures = 0
    show('live')
  }
  const onEvent = (event: IncomingEvent) => {
    lastEventId = event.lastEventId
    source.onEvent(event)
  }
  for (; !signal.aborted; failures++) {
    show(failures === 0 ? 'connecting' : 'lost')
    const outcome = await readOnce({ ...source, lastEventId, onOpen, onEvent }).catch(() => 'lost' as const)
    show(outcome)
    // Another token starts another effect; without one there is nothing to try.
    if (outcome === 'refused') return
    await pause(Math.min(lastRetryMs, firstRetryMs * 2 ** failures), signal)
  }
}

interface Reading extends Source {
  /** The stream continues after this event; empty for none. */
  readonly lastEventId: string
  readonly onOpen: () => void
}

async function readOnce({ surface, path, signal, lastEventId, onOpen, onEvent }: Reading): Promise<'lost' | 'refused'> {
  const ending = new AbortController()
  const stop = () => ending.abort()
  signal.addEventListener('abort', stop, { once: true })
  let timer = setTimeout(stop, silentMs)
  try {
    const resume: Record<string, string> = lastEventId === '' ? {} : { 'last-event-id': lastEventId }
    const headers = { accept: 'text/event-stream', ...resume }
    const response = await fetchAs(surface, path, { headers, signal: ending.signal })
    if (response.status === 401) markRefused(surface, true)
    if (response.status === 401 || response.status === 403) return 'refused'
    if (!response.ok || response.body === null) return 'lost'
    onOpen()
    const pieces = response.body.pipeThrough(new TextDecoderStream()).getReader()
    let state = startReading(lastEventId)
    for (let piece = await pieces.read(); !piece.done; piece = await pieces.read()) {
      clearTimeout(timer)
      timer = setTimeout(stop, silentMs)
      const read = readEventText(state, piece.value)
      state = read.reader
      for (const event of read.events) onEvent(event)
    }
    return 'lost'
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
    ending.abort()
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
  })
}
