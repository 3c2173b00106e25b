/** One call on its way to the service: the first event that ends it releases everything that it holds. */

import type { ClientRequest, OutgoingHttpHeaders } from 'node:http'
import { ok } from '#proto-json/grpc-web/status.ts'
import type { Status } from '#proto-json/index.ts'
import type { Decider } from '../decider/decider.ts'
import { passAnswer } from './answer.ts'
import { longestDelayMs } from './deadline.ts'
import type { HeldCall, Intake } from './intake.ts'
import { status } from './refusal.ts'
import type { Reply } from './reply.ts'
import type { Upstream } from './upstream.ts'

/** Bounds on one call. */
export interface CallBounds {
  /** The longest message, in either direction, in bytes. */
  readonly maxMessageBytes: number
  /** Longest time for a client to send its message, in milliseconds, independent of the call's deadline. */
  readonly messageWithinMs: number
  /** Longest time for the service to begin its answer, in milliseconds, independent of the call's deadline. */
  readonly answerWithinMs: number
}

/** State that all calls of a front share. */
export interface CallContext {
  readonly upstream: Upstream
  readonly intake: Intake
  /** Decides ShouldRateLimit here while it can; null to forward every call. */
  readonly decider: Decider | null
  readonly bounds: CallBounds
  /** Paths of the methods that are forwarded; every other call is UNIMPLEMENTED (12). */
  readonly methods: readonly string[]
}

/** A call that runs. */
export interface RunningCall {
  readonly held: HeldCall
  /** False once the call is over. */
  isOpen(): boolean
  end(outcome: Status): void
  /** Ends the call with a status unless it is over before the delay, in milliseconds. */
  endIn(delayMs: number, outcome: Status): NodeJS.Timeout
  /** Answers with one message, and ends with OK. */
  answer(message: Uint8Array): void
  send(path: string, headers: OutgoingHttpHeaders, body: Buffer): void
  /** Gives the call up: timers stop, and a request that still runs is cancelled. */
  abandon(): void
}

/** Begins a call, which may be over at once when too many run. */
export function createCall(reply: Reply, { upstream, intake, bounds }: CallContext): RunningCall {
  const { maxMessageBytes, answerWithinMs } = bounds
  const timers: NodeJS.Timeout[] = []
  let running: ClientRequest | null = null
  let held: HeldCall | null = null

  const abandon = () => {
    for (const timer of timers) clearTimeout(timer)
    held?.leave()
    running?.destroy()
    running = null
  }
  const end = (outcome: Status) => {
    reply.end(outcome)
    abandon()
  }
  const endIn = (delayMs: number, outcome: Status) => {
    const timer = setTimeout(end, Math.min(Math.max(0, delayMs), longestDelayMs), outcome)
    timers.push(timer)
    return timer
  }
  held = intake.enter(end)

  return {
    held,
    isOpen: reply.isOpen,
    end,
    endIn,
    abandon,
    answer(message) {
      reply.message(message)
      reply.end(ok)
    },
    send(path, headers, body) {
      const silence = endIn(answerWithinMs, unavailable(`it was silent for ${answerWithinMs} ms`))
      running = upstream.post(path, headers)
      running.on('error', (error: NodeJS.ErrnoException) => end(unavailable(error.code ?? error.message)))
      running.on('response', (response) => {
        clearTimeout(silence)
        // The connection goes back to the pool; cancelling the request from here on would take it away again.
        response.once('end', () => {
          running = null
        })
        passAnswer(response, reply, maxMessageBytes, end)
      })
      running.end(body)
    },
  }
}

function unavailable(state: string): Status {
  return status('UNAVAILABLE', `Cannot reach service: ${state}`)
}
