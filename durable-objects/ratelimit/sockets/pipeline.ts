/** A connection that carries many callers' commands in order and hands each its replies. */

import { concatBytes } from '#base/bytes.ts'
import { readRelayVerdict } from '#base/relay-line.ts'
import { dial, type RelayTarget, type Target } from '../../base/dial.ts'
import { type WaitingCalls, waitingCalls } from './waiting-calls.ts'

/** Bounds and habits of a connection. */
export interface PipelineOptions<Reply> {
  /** Reads whole replies and gives back the bytes of the one that has not arrived whole. */
  readonly read: (bytes: Uint8Array) => { readonly replies: readonly Reply[]; readonly rest: Uint8Array }
  /** Longest wait for a reply in milliseconds; see `waitingCalls`. */
  readonly timeoutMs: number
  /** Milliseconds that commands wait for company before they are written; 0 writes once per turn of the loop. */
  readonly flushMs: number
  /** Number of waiting commands that writes them at once; 0 for no such bound. */
  readonly flushLimit: number
  /** Called once, when the connection has ended for any reason; `idleEnd` for one without commands. */
  readonly onClose: (reason: Error) => void
}

/**
 * Sends commands over one TCP connection, pipelined.
 *
 * Replies come in the order of the commands, so the first caller in the queue owns the next reply. When the
 * connection ends every waiting caller gets the error; whether its commands had an effect is then unknown.
 */
export class Pipeline<Reply> {
  readonly #socket: Socket
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>
  readonly #options: PipelineOptions<Reply>
  readonly #calls: WaitingCalls<Reply>
  #outgoing: Uint8Array[] = []
  #outgoingCommands = 0
  #isFlushScheduled = false
  #isEstablished = false
  /** True while the relay's line is still to come. */
  #awaitsVerdict: boolean
  #closed: Error | undefined

  /** Begins to connect; the first `send` finds out whether that succeeds. */
  constructor(target: Target | RelayTarget, options: PipelineOptions<Reply>) {
    this.#options = options
    this.#calls = waitingCalls(options.timeoutMs, (reason) => this.close(reason))
    const { socket, request } = dial(target)
    this.#socket = socket
    this.#awaitsVerdict = request !== null
    if (request !== null) this.#outgoing.push(request)
    this.#writer = this.#socket.writable.getWriter()
    this.#socket.opened.then(
      () => {
        this.#isEstablished = true
      },
      (error: unknown) => this.#lost(error),
    )
    void this.#receive()
  }

  get isOpen(): boolean {
    return this.#closed === undefined
  }

  /** Sends the bytes of `count` commands and waits for their replies. */
  send(bytes: Uint8Array, count: number): Promise<readonly Reply[]> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed)
    const replies = this.#calls.add(count)
    this.#outgoing.push(bytes)
    this.#outgoingCommands += count
    this.#scheduleFlush()
    return replies
  }

  /** Ends the connection and tells every waiting caller why; further calls change nothing. */
  close(reason: Error): void {
    if (this.#closed !== undefined) return
    this.#closed = reason
    this.#calls.rejectAll(reason)
    this.#socket.close().catch(ignoreEndOfSocket)
    this.#options.onClose(reason)
  }

  /** A connection that never came to be ends in several ways at once; callers get one cause. */
  #lost(cause: unknown): void {
    if (cause instanceof TypeError) this.close(cause)
    else this.close(new Error(this.#isEstablished ? 'connection lost' : 'connection refused', { cause }))
  }

  #scheduleFlush(): void {
    const { flushMs, flushLimit } = this.#options
    if (flushLimit > 0 && this.#outgoingCommands >= flushLimit) this.#flush()
    else if (!this.#isFlushScheduled) {
      this.#isFlushScheduled = true
      if (flushMs > 0) setTimeout(() => this.#flush(), flushMs)
      else queueMicrotask(() => this.#flush())
    }
  }

  #flush(): void {
    this.#isFlushScheduled = false
    const parts = this.#outgoing
    if (parts.length === 0 || this.#closed !== undefined) return
    this.#outgoing = []
    this.#outgoingCommands = 0
    this.#writer.write(joined(parts)).catch((error: unknown) => this.#lost(error))
  }

  async #receive(): Promise<void> {
    try {
      const reader = this.#socket.readable.getReader()
      let rest: Uint8Array = new Uint8Array(0)
      for (;;) {
        const { value, done } = await reader.read()
        if (done) break
        rest = this.#take(rest.length === 0 ? value : joined([rest, value]))
      }
      this.close(new Error('connection closed by the server'))
    } catch (error) {
      this.#lost(error)
    }
  }

  /** Reads what has arrived whole. @returns the bytes of what has not. */
  #take(bytes: Uint8Array): Uint8Array {
    let own = bytes
    if (this.#awaitsVerdict) {
      const verdict = readRelayVerdict(bytes)
      if (verdict === null) return bytes
      if (verdict.refusal !== null) this.close(new Error(verdict.refusal))
      this.#awaitsVerdict = false
      own = verdict.rest
    }
    const { replies, rest } = this.#options.read(own)
    for (const reply of replies) {
      if (!this.#calls.deliver(reply)) this.close(new Error('the server sent a reply without a request'))
    }
    return rest
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts
  return parts.length === 1 && only !== undefined ? only : concatBytes(...parts)
}

/** A socket that is already broken cannot be closed in order, and it has no reader any more. */
function ignoreEndOfSocket(): void {}
