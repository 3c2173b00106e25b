/** One kept-alive HTTP/1.1 connection that sends octets as they are and reads whole answers. */

import { connect, type Socket } from 'node:net'

/** The end of a question without a whole answer: the connection broke before it, or none came in time. */
export type Loss = 'broken' | 'late'

/** An answer, or what a question ended with in its place. */
export interface Answer {
  readonly status: number | Loss
  readonly headers: ReadonlyMap<string, string>
  readonly body: Buffer
  /** Octets of an answer that arrived before the connection broke. */
  readonly received: number
}

/** A request: header fields in order, so that a field can be sent twice or be wrong. */
export interface WireRequest {
  readonly method: string
  readonly target: string
  readonly fields?: readonly (readonly [name: string, value: string])[]
  readonly body?: string | Uint8Array
}

/** Longest wait for an answer, where a connection has no other, in milliseconds. */
export const patienceMs = 20_000

const noHeaders: ReadonlyMap<string, string> = new Map()

/** A connection to `127.0.0.1`; it opens by itself, and again after the other side has closed it. */
export class Wire {
  readonly #port: number
  readonly #timeoutMs: number
  #socket: Socket | null = null
  #received = Buffer.alloc(0)
  #hasBody = true
  #waiting: ((answer: Answer) => void) | null = null

  constructor(port: number, timeoutMs = patienceMs) {
    this.#port = port
    this.#timeoutMs = timeoutMs
  }

  /** True while a connection is open. */
  get isOpen(): boolean {
    return this.#socket !== null
  }

  /** Sends a request and waits for its answer; one at a time. */
  async ask({ method, target, fields = [], body }: WireRequest): Promise<Answer> {
    const names = new Set(fields.map(([name]) => name.toLowerCase()))
    const lines = [`${method} ${target} HTTP/1.1`, ...fields.map(([name, value]) => `${name}: ${value}`)]
    if (!names.has('host')) lines.splice(1, 0, `Host: 127.0.0.1:${this.#port}`)
    const payload = Buffer.from(body ?? '')
    const hasLength = names.has('content-length') || names.has('transfer-encoding')
    if (body !== undefined && !hasLength) lines.push(`Content-Length: ${payload.length}`)
    const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
    return this.send(Buffer.concat([head, payload]), method !== 'HEAD')
  }

  /** Sends octets and waits for one answer. */
  async send(octets: Uint8Array, hasBody = true): Promise<Answer> {
    const socket = this.#socket ?? this.#open()
    this.#hasBody = hasBody
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#settle('late'), this.#timeoutMs)
      this.#waiting = (answer) => {
        clearTimeout(timer)
        resolve(answer)
      }
      socket.write(octets)
    })
  }

  /** Closes the connection. */
  close(): void {
    const socket = this.#socket
    this.#socket = null
    socket?.destroy()
  }

  #open(): Socket {
    this.#received = Buffer.alloc(0)
    const socket = connect({ host: '127.0.0.1', port: this.#port, noDelay: true })
    this.#socket = socket
    socket.on('data', (chunk: Buffer) => {
      if (this.#socket !== socket) return
      this.#received = Buffer.concat([this.#received, chunk])
      this.#read()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      if (this.#socket === socket) this.#settle('broken')
    })
    return socket
  }

  /** Ends the wait without an answer. */
  #settle(status: Loss): void {
    const received = this.#received.length
    this.close()
    this.#answer({ status, headers: noHeaders, body: this.#received, received })
  }

  #answer(answer: Answer): void {
    const waiting = this.#waiting
    this.#waiting = null
    waiting?.(answer)
  }

  #read(): void {
    if (this.#waiting === null) return
    const end = this.#received.indexOf('\r\n\r\n')
    if (end < 0) return
    const [line = '', ...fields] = this.#received.subarray(0, end).toString('latin1').split('\r\n')
    const headers = new Map(
      fields.map((field) => {
        const at = field.indexOf(':')
        return [field.slice(0, at).toLowerCase(), field.slice(at + 1).trim()] as const
      }),
    )
    const status = Number(line.split(' ')[1])
    const isEmpty = !this.#hasBody || status === 204 || status === 304
    const read = isEmpty ? { body: Buffer.alloc(0), next: end + 4 } : readBody(this.#received, end + 4, headers)
    if (read === null) return
    const received = this.#received.length
    this.#received = this.#received.subarray(read.next)
    if (/close/i.test(headers.get('connection') ?? '')) this.close()
    this.#answer({ status, headers, body: read.body, received })
  }
}

/** The body that begins at `from`, and where the next answer would; null while it is not whole. */
function readBody(
  octets: Buffer,
  from: number,
  headers: ReadonlyMap<string, string>,
): { readonly body: Buffer; readonly next: number } | null {
  if (/chunked/i.test(headers.get('transfer-encoding') ?? '')) return readChunks(octets, from)
  const length = Number(headers.get('content-length') ?? 0)
  return octets.length < from + length ? null : { body: octets.subarray(from, from + length), next: from + length }
}

function readChunks(octets: Buffer, from: number): { readonly body: Buffer; readonly next: number } | null {
  const chunks: Buffer[] = []
  for (let at = from; ; ) {
    const lineEnd = octets.indexOf('\r\n', at)
    if (lineEnd < 0) return null
    const size = Number.parseInt(octets.subarray(at, lineEnd).toString('latin1'), 16)
    const next = lineEnd + 2 + size + 2
    if (octets.length < next) return null
    chunks.push(octets.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = next
    if (size === 0) return { body: Buffer.concat(chunks), next: at }
  }
}
