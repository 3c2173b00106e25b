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

/** Begins a call, which may be over at once when too many run. */
export function createCall(reply: Reply, { upstream, intake, bounds }: CallContext) {
  const { maxMessageBytes, answerWithinMs } = bounds
  const timers: NodeJS.Timeout[] = []
  let running: ClientRequest | null = null
  let held: HeldCall | null = null

  /** Gives the call up: timers stop, and a request that still runs is cancelled. */
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
  /** Ends the call with a status unless it is over before the delay, in milliseconds. */
  const endIn = (delayMs: number, outcome: Status) => {
    const timer = setTimeout(end, Math.min(Math.max(0, delayMs), longestDelayMs), outcome)
    timers.push(timer)
    return timer
  }
  held = intake.enter(end)

  return {
    held,
    /** False once the call is over. */
    isOpen: reply.isOpen,
    end,
    endIn,
    abandon,
    /** Answers with one message, and ends with OK. */
    answer(message: Uint8Array): void {
      reply.message(message)
      reply.end(ok)
    },
    send(path: string, headers: OutgoingHttpHeaders, body: Buffer): void {
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

/** A call that runs. */
export type RunningCall = ReturnType<typeof createCall>

function unavailable(state: string): Status {
  return status('UNAVAILABLE', `Cannot reach service: ${state}`)
}
