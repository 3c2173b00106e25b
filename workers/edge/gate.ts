/** The rate limiter before the services themselves: asked before a request goes on, and given the tokens that were wrong. */

import { messageOf } from '#base/errors.ts'
import { createLineBudget } from '#base/line-budget.ts'
import { askGate, chargeFailedToken, type GateSubject, gatePauseMs, gateTimeoutMs, readGateAnswer } from '#edge/gate.ts'
import { inTime } from '#objects/base/in-time.ts'
import { loggerOfEnvironment } from '#objects/base/log.ts'
import { currentRequest, requestFields, runRequest } from './request-context.ts'

/** Answers `POST /json`: the rate limit service in the same Worker, or a service binding to it. */
export type Limiter = (request: Request) => Promise<Response>

/** A gate for one request. */
export interface Gate {
  readonly limiter: Limiter
  /** Shown to a rate limiter that asks for tokens; empty for none. */
  readonly callerToken: string
  readonly env: object
}

/** End of the pause after a failure of the rate limiter: Unix time in milliseconds. */
const pause = { untilMs: 0 }
const failures = createLineBudget(1, 60_000)

/** Asks how many seconds a client has to wait; null to go on, also for a second after the limiter has failed. */
export async function checkLimit(gate: Gate, subject: GateSubject): Promise<number | null> {
  const now = Date.now()
  if (now < pause.untilMs && pause.untilMs <= now + gatePauseMs) return null
  try {
    return await inTime(ask(gate, askGate(subject)), gateTimeoutMs)
  } catch (error) {
    pause.untilMs = Date.now() + gatePauseMs
    logFailure(gate.env, error)
    return null
  }
}

/** Counts a refused token for an address; called after the answer, and silent when the rate limiter fails. */
export async function reportFailedToken(gate: Gate, address: string): Promise<void> {
  try {
    await ask(gate, chargeFailedToken(address))
  } catch (error) {
    logFailure(gate.env, error)
  }
}

async function ask({ limiter, callerToken }: Gate, body: string): Promise<number | null> {
  const headers = {
    'content-type': 'application/json',
    ...(callerToken !== '' && { authorization: `Bearer ${callerToken}` }),
  }
  const request = new Request('https://gate.invalid/json', { method: 'POST', headers, body })
  const context = currentRequest()
  // A copy: the question has another route, which is not that of the request.
  const response = await (context === undefined ? limiter(request) : runRequest({ ...context }, () => limiter(request)))
  if (response.status === 429) return readGateAnswer(429, await response.json())
  await response.body?.cancel()
  if (response.status === 200) return null
  throw new Error(`it answered ${response.status} ${response.headers.get('x-ratelimit-reason') ?? ''}`.trim())
}

function logFailure(env: object, error: unknown): void {
  if (failures.take(Date.now()) === null) return
  loggerOfEnvironment(env, requestFields).warning('Cannot ask the gate: requests pass', {
    error: messageOf(error).slice(0, 300),
  })
}
