/** A connection that carries many callers' commands in order and hands each its replies. */

import { concatBytes } from '#base/bytes.ts'
import { readRelayVerdict } from '#base/relay-line.ts'
import { dial, type RelayTarget, type Target } from '../../base/dial.ts'

/** Bounds and habits of a connection. */
export interface PipelineOptions<Reply> {
  /** Reads whole replies and gives back the bytes of the one that has not arrived whole. */
  readonly read: (bytes: Uint8Array) => { readonly replies: readonly Reply[]; readonly rest: Uint8Array }
  /**
   * Longest wait for a reply in milliseconds; after it the connection is closed, as its order is lost.
   * A runtime that was too busy to look at its timers waits once more for as long as they were late, `timeoutMs` at
   * most: replies that came meanwhile have not been read.
   */
  readonly timeoutMs: number
  /** Milliseconds that commands wait for company before they are written; 0 writes once per turn of the loop. */
  readonly flushMs: number
  /** Number of waiting commands that writes them at once; 0 for no such bound. */
  readonly flushLimit: number
  /** Called once, when the connection has ended for any reason; `idleEnd` for one without commands. */
  readonly onClose: (reason: Error) => void
}

/** Milliseconds without a command until a connection is closed: the platform charges for an object that holds one. */
const idleMs = 10_000
/** Reason for the end of a connection without commands. */
export const idleEnd = new Error('connection idle')
/** A timer that is later than this many milliseconds was kept waiting by other work of the runtime. */
const latenessMs = 20

interface Waiting<Reply> {
  readonly count: number
  readonly replies: Reply[]
  /** Unix milliseconds. */
  deadline: number
  /** True once the deadline was moved because the runtime was late. */
  isProlonged: boolean
  readonly resolve: (replies: readonly Reply[]) => void
  readonly reject: (reason: Error) => void
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
  readonly #waiting: Waiting<Reply>[] = []
  #outgoing: Uint8Array[] = []
  #outgoingCommands = 0
  #isFlushScheduled = false
  #watch: ReturnType<typeof setTimeout> | undefined
  /** True while the timer is for the end of an idle connection. */
  #watchesIdle = false
  /** Time of the last command: Unix milliseconds. */
  #usedAtMs = 0
  #isEstablished = false
  /** True while the relay's line is still to come. */
  #awaitsVerdict: boolean
  #closed: Error | undefined

  /** Begins to connect; the first `send` finds out whether that succeeds. */
  constructor(target: Target | RelayTarget, options: PipelineOptions<Reply>) {
    this.#options = options
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
    return new Promise((resolve, reject) => {
      this.#usedAtMs = Date.now()
      const deadline = this.#usedAtMs + this.#options.timeoutMs
      this.#waiting.push({ count, replies: [], deadline, isProlonged: false, resolve, reject })
      this.#outgoing.push(bytes)
      this.#outgoingCommands += count
      this.#scheduleFlush()
      this.#watchDeadline()
    })
  }

  /** Ends the connection and tells every waiting caller why; further calls change nothing. */
  close(reason: Error): void {
    if (this.#closed !== undefined) return
    this.#closed = reason
    if (this.#watch !== undefined) clearTimeout(this.#watch)
    for (const { reject } of this.#waiting.splice(0)) reject(reason)
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
    for (const reply of replies) this.#deliver(reply)
    return rest
  }

  #deliver(reply: Reply): void {
    const first = this.#waiting[0]
    if (first === undefined) {
      this.close(new Error('the server sent a reply without a request'))
      return
    }
    first.replies.push(reply)
    if (first.replies.length < first.count) return
    this.#waiting.shift()
    first.resolve(first.replies)
  }

  /** One timer: for the first caller's deadline, which is the earliest; without callers for the end of an idle connection. */
  #watchDeadline(): void {
    const first = this.#waiting[0]
    if (this.#closed !== undefined || (this.#watch !== undefined && !(this.#watchesIdle && first !== undefined))) return
    clearTimeout(this.#watch ?? null)
    this.#watchesIdle = first === undefined
    const wait = Math.max(1, (first?.deadline ?? this.#usedAtMs + idleMs) - Date.now())
    const dueAt = Date.now() + wait
    this.#watch = setTimeout(() => {
      this.#watch = undefined
      this.#judgeDeadline(Date.now() - dueAt)
    }, wait)
  }

  /** @param late - by how many milliseconds the timer was late. */
  #judgeDeadline(late: number): void {
    if (late >= latenessMs) this.#prolong(Math.min(late, this.#options.timeoutMs))
    const oldest = this.#waiting[0]
    if (oldest === undefined && Date.now() - this.#usedAtMs >= idleMs) this.close(idleEnd)
    else if (oldest !== undefined && Date.now() >= oldest.deadline) this.close(new Error('i/o timeout'))
    else this.#watchDeadline()
  }

  /** Moves the deadline of every caller that waits, once. */
  #prolong(ms: number): void {
    for (const one of this.#waiting) {
      if (!one.isProlonged) one.deadline = Math.max(one.deadline, Date.now()) + ms
      one.isProlonged = true
    }
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts
  return parts.length === 1 && only !== undefined ? only : concatBytes(...parts)
}

/** A socket that is already broken cannot be closed in order, and it has no reader any more. */
function ignoreEndOfSocket(): void {}
