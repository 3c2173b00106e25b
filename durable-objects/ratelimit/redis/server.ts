/** One Redis server: a connection that is opened when needed, authenticated, and opened again after a loss. */

import { messageOf } from '#base/errors.ts'
import type { Credentials, Endpoint } from '#ratelimit/redis/address.ts'
import type { Command } from '#ratelimit/redis/commands.ts'
import { encodeCommands, isErrorReply, type Reply, readReplies } from '#ratelimit/redis/resp.ts'
import { addressText } from '#ratelimit/redis/topology.ts'
import type { RelayTarget, Target } from '../../base/dial.ts'
import { Pipeline } from '../sockets/pipeline.ts'

/** Options of a connection, the same for all servers of a store. */
export interface NodeOptions {
  readonly tls: boolean
  /** The way to servers that a Worker's own sockets cannot reach; null where they can. */
  readonly relay: Fetcher | null
  readonly credentials: Credentials | undefined
  readonly timeoutMs: number
  readonly flushMs: number
  readonly flushLimit: number
  /** Told when a connection has opened (+1) or ended (-1). */
  readonly onConnections: (change: 1 | -1) => void
}

/** Milliseconds without another attempt after one that failed: doubled from the first to the last. */
const backOffMs = { first: 50, last: 1_000 }

/** A server and the one connection to it. */
export class RedisNode {
  readonly #address: Endpoint
  readonly #options: NodeOptions
  #connection: { readonly pipeline: Pipeline<Reply>; readonly ready: Promise<void> } | undefined
  #failures = 0
  #nextAttempt = 0
  #lastError: Error | undefined

  constructor(address: Endpoint, options: NodeOptions) {
    this.#address = address
    this.#options = options
  }

  /** Runs commands in one pipeline and returns their replies in order; error replies are returned as they are. */
  async run(commands: readonly Command[]): Promise<readonly Reply[]> {
    const connection = this.#connection ?? this.#connect()
    await connection.ready
    return connection.pipeline.send(encodeCommands(commands), commands.length)
  }

  /** Ends the connection; the next command opens another. */
  close(reason: string): void {
    this.#connection?.pipeline.close(new Error(reason))
  }

  #connect(): { readonly pipeline: Pipeline<Reply>; readonly ready: Promise<void> } {
    const rest = this.#nextAttempt - Date.now()
    // Longer than any rest: the clock has been set back since.
    if (rest > 0 && rest <= backOffMs.last && this.#lastError !== undefined) throw this.#lastError
    const { timeoutMs, flushMs, flushLimit, onConnections } = this.#options
    const pipeline = new Pipeline<Reply>(this.#target(), {
      read: readReplies,
      timeoutMs,
      flushMs,
      flushLimit,
      onClose: () => {
        this.#connection = undefined
        onConnections(-1)
      },
    })
    onConnections(1)
    const ready = this.#greet(pipeline)
    this.#connection = { pipeline, ready }
    return this.#connection
  }

  #target(): Target | RelayTarget {
    const { tls, relay } = this.#options
    if (relay !== null) return { ...this.#address, tls, relay }
    if ('path' in this.#address) throw new Error(`redis ${this.#address.path}: no relay reaches it`)
    return { ...this.#address, tls }
  }

  /** AUTH where there are credentials, then PING; callers wait behind it, so that none runs unauthenticated. */
  async #greet(pipeline: Pipeline<Reply>): Promise<void> {
    const { credentials } = this.#options
    const greeting: Command[] = [['PING']]
    if (credentials !== undefined) {
      greeting.unshift(['AUTH', ...(credentials.user ? [credentials.user] : []), credentials.password])
    }
    try {
      const replies = await pipeline.send(encodeCommands(greeting), greeting.length)
      const refusal = replies.find(isErrorReply)
      if (refusal !== undefined) throw new Error(refusal.error)
      this.#failures = 0
    } catch (error) {
      const failure = this.#failed(error)
      pipeline.close(failure)
      throw failure
    }
  }

  #failed(cause: unknown): Error {
    const state = messageOf(cause)
    this.#nextAttempt = Date.now() + Math.min(backOffMs.last, backOffMs.first * 2 ** this.#failures)
    this.#failures++
    this.#lastError = new Error(`redis ${addressText(this.#address)}: ${state}`, { cause })
    return this.#lastError
  }
}
