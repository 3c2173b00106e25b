/** `POST /json` decided in the front; operators who read or change the service through it find both in step. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { readRequestId, requestIdHeader } from '#edge/request-id.ts'
import { consoleLogger } from '#objects/base/log.ts'
import { writeFailure } from '#ratelimit/decision/log.ts'
import { answerDecision, readDecisionBody, refuseDecision } from '#workers/ratelimit/json-answer.ts'
import { type PlainAnswer, plainAnswer } from '#workers/ratelimit/plain-answer.ts'
import { findFrontCaller } from '../decider/caller.ts'
import type { Decider, ReadyDecider } from '../decider/decider.ts'
import { gather } from './body.ts'
import { type Forwarded, forward, gatheredBytes } from './forward.ts'
import { tokenFor } from './tokens.ts'
import type { Upstream } from './upstream.ts'

/**
 * Answers a decision here while the front decides, and forwards everything else.
 *
 * Longer bodies are forwarded as well, so that a front holds no more than `gatheredBytes` of a request. Before an
 * operator's request the statistics of the front are handed over, and once a change is answered its rules are checked
 * before the next decision: as in the isolate that answers.
 */
export function decideOrForward(
  request: IncomingMessage,
  response: ServerResponse,
  forwarded: Forwarded,
  { upstream, decider }: { readonly upstream: Upstream; readonly decider: Decider },
): void {
  const authorization = forwarded.fields.authorization ?? request.headers.authorization
  const ready = isDecision(request, forwarded.path) ? decider.ready() : null
  if (ready !== null) {
    gather(request, (body) => {
      const id = readRequestId((header) => request.headers[header]?.toString() ?? null)
      void decideBody(body, { authorization, id }, ready).then((answer) => send(response, answer, id))
    })
  } else if (authorization === undefined || tokenFor(forwarded.path) !== 'ADMIN_TOKEN') {
    forward(request, response, forwarded, upstream)
  } else {
    const isReading = request.method === 'GET' || request.method === 'HEAD'
    const onAnswer = isReading ? {} : { onAnswer: decider.expireRules }
    void decider.handOver().then(() => forward(request, response, { ...forwarded, ...onAnswer }, upstream))
  }
}

function isDecision({ method, headers }: IncomingMessage, path: string): boolean {
  const isJson = method === 'POST' && (path === '/json' || path.startsWith('/json?'))
  return isJson && headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= gatheredBytes
}

interface Sender {
  readonly authorization: string | undefined
  readonly id: string | undefined
}

async function decideBody(body: Buffer, { authorization, id }: Sender, ready: ReadyDecider): Promise<PlainAnswer> {
  const { settings } = ready
  const { REQUEST_MAX_BODY_BYTES: bodyBytes } = settings
  let caller: string | null = null
  try {
    caller = findFrontCaller(authorization, ready)
    const message = readDecisionBody(body.length <= bodyBytes ? body : null, bodyBytes)
    return answerDecision(await ready.decide(message), settings)
  } catch (error) {
    const logger = id === undefined ? ready.logger : consoleLogger(settings, () => ({ request_id: id }))
    const isReasonInBody = () => settings.JSON_REASON_IN_BODY
    const refused = refuseDecision(error, { logger, caller, isReasonInBody })
    if (refused !== null) return refused
    writeFailure(logger, 'Cannot answer POST /json', error, Date.now())
    return plainAnswer(500, 'Internal Server Error')
  }
}

function send(response: ServerResponse, { status, headers, body }: PlainAnswer, id: string | undefined): void {
  if (response.destroyed) return
  const bytes = Buffer.from(body)
  const returned = id === undefined ? {} : { [requestIdHeader]: id }
  response.writeHead(status, { ...headers, ...returned, 'content-length': bytes.length })
  response.end(bytes)
}
