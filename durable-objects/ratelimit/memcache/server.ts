/** One memcached server and a few connections to it, used in turn. */

import { type Answer, readAnswers } from '#ratelimit/memcache/text.ts'
import type { RelayTarget, Target } from '../../base/dial.ts'
import { Pipeline } from '../sockets/pipeline.ts'
import { idleEnd } from '../sockets/waiting-calls.ts'

/** The reference waits no longer than its client's default for a server. */
const timeoutMs = 500

/** Milliseconds without another attempt after a connection was lost, so that a dead server costs little. */
const backOffMs = 100

/** A server and its connections; each is opened when its turn comes. */
export class MemcacheNode {
  readonly #target: Target | RelayTarget
  readonly #pipelines: (Pipeline<Answer> | undefined)[]
  #turn = 0
  #nextAttempt = 0

  /** @param connections - how many connections are kept, 1 or more. */
  constructor(target: Target | RelayTarget, connections: number) {
    this.#target = target
    this.#pipelines = new Array(connections)
  }

  /** Sends the bytes of `count` commands and waits for their answers. */
  send(bytes: Uint8Array, count: number): Promise<readonly Answer[]> {
    this.#turn = (this.#turn + 1) % this.#pipelines.length
    const known = this.#pipelines[this.#turn]
    if (known?.isOpen) return known.send(bytes, count)
    const rest = this.#nextAttempt - Date.now()
    // Longer than any rest: the clock has been set back since.
    if (rest > 0 && rest <= backOffMs) return Promise.reject(new Error('connection refused a moment ago'))
    const pipeline = new Pipeline<Answer>(this.#target, {
      read: readAnswers,
      timeoutMs,
      flushMs: 0,
      flushLimit: 0,
      onClose: (reason) => {
        if (reason !== idleEnd) this.#nextAttempt = Date.now() + backOffMs
      },
    })
    this.#pipelines[this.#turn] = pipeline
    return pipeline.send(bytes, count)
  }
}
