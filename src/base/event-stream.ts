/** Server-Sent Events as the WHATWG HTML standard defines them: writing one event, reading a stream of them. */

/** One event as it is written; `data` may hold line feeds. */
interface OutgoingEvent {
  readonly event?: string
  readonly data: string
  readonly id?: string
  /** Milliseconds a client should wait before it reconnects. */
  readonly retry?: number
}

/** One event as it was read. */
export interface IncomingEvent {
  /** `message` when the stream named none. */
  readonly event: string
  readonly data: string
  /** The last identifier the stream gave, in this event or an earlier one; empty when it gave none. */
  readonly lastEventId: string
}

/** State of a reader between two pieces of text. */
interface EventStreamReader {
  readonly rest: string
  readonly event: string
  readonly data: readonly string[]
  readonly lastEventId: string
  /** Milliseconds between reconnections, when the stream asked for a number. */
  readonly retry: number | undefined
  /** True once any text was read: only the first may begin with a byte order mark. */
  readonly hasStarted: boolean
}

/** Writes one event: its fields, one `data` line for each line of the data, and the blank line that ends it. */
export function formatEvent({ event, data, id, retry }: OutgoingEvent): string {
  const lines: string[] = []
  if (event !== undefined) lines.push(`event: ${event}`)
  if (id !== undefined) lines.push(`id: ${id}`)
  if (retry !== undefined) lines.push(`retry: ${retry}`)
  for (const line of data.split(/\r\n|\r|\n/)) lines.push(`data: ${line}`)
  return `${lines.join('\n')}\n\n`
}

/** Writes a comment, which keeps a connection alive and which no client shows. */
export function formatComment(text: string): string {
  return `: ${text.replace(/[\r\n]+/g, ' ')}\n\n`
}

/** Writes only the reconnection time. */
export function formatRetry(milliseconds: number): string {
  return `retry: ${milliseconds}\n\n`
}

/** A reader that has read nothing; pass the identifier to continue after, when there is one. */
export function startReading(lastEventId = ''): EventStreamReader {
  return { rest: '', event: '', data: [], lastEventId, retry: undefined, hasStarted: false }
}

/**
 * Reads one piece of a stream, cut at any place.
 *
 * Lines end with LF, CR or CRLF; a carriage return at the end of a piece waits for the next one. An event that
 * the stream does not finish with a blank line is never reported.
 */
export function readEventText(
  reader: EventStreamReader,
  piece: string,
): { readonly reader: EventStreamReader; readonly events: readonly IncomingEvent[] } {
  const isFirst = !reader.hasStarted && piece.length > 0
  let text = reader.rest + (isFirst ? piece.replace(/^\uFEFF/, '') : piece)
  let held = ''
  if (text.endsWith('\r')) {
    held = '\r'
    text = text.slice(0, -1)
  }
  const lines = text.split(/\r\n|\r|\n/)
  const rest = (lines.pop() ?? '') + held
  const events: IncomingEvent[] = []
  let state: EventStreamReader = { ...reader, rest, hasStarted: reader.hasStarted || isFirst }
  for (const line of lines) {
    if (line === '') {
      if (state.data.length > 0) {
        events.push({
          event: state.event === '' ? 'message' : state.event,
          data: state.data.join('\n'),
          lastEventId: state.lastEventId,
        })
      }
      state = { ...state, event: '', data: [] }
    } else {
      state = readField(state, line)
    }
  }
  return { reader: state, events }
}

function readField(state: EventStreamReader, line: string): EventStreamReader {
  const colon = line.indexOf(':')
  if (colon === 0) return state
  const name = colon === -1 ? line : line.slice(0, colon)
  const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
  if (name === 'data') return { ...state, data: [...state.data, value] }
  if (name === 'event') return { ...state, event: value }
  if (name === 'id' && !value.includes('\0')) return { ...state, lastEventId: value }
  if (name === 'retry' && /^\d+$/.test(value)) return { ...state, retry: Number(value) }
  return state
}

/**
 * Reads the events of a response body one after another, until the body ends or the loop is left.
 *
 * Unlike a browser's `EventSource` this works with any request, so a bearer token can be sent:
 *
 * @example
 * const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
 * for await (const { event, data } of readEvents(response.body)) console.log(event, JSON.parse(data))
 *
 * @param lastEventId - The identifier to start from, for a reader that continues an earlier stream.
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array> | null,
  lastEventId = '',
): AsyncGenerator<IncomingEvent> {
  if (body === null) return
  const source = body.getReader()
  const decoder = new TextDecoder()
  let reader = startReading(lastEventId)
  try {
    for (;;) {
      const { done, value } = await source.read()
      if (done) return
      const step = readEventText(reader, decoder.decode(value, { stream: true }))
      reader = step.reader
      yield* step.events
    }
  } finally {
    // Leaving the loop early must close the connection, else the server goes on writing to a reader that has left.
    await source.cancel().catch(() => undefined)
  }
}
