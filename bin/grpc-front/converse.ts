/** Answers a call that the front takes itself instead of forwarding it: one answer for every message, in order. */

import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import { after } from './connection-age.ts'
import { deadlinePassed, readDeadline } from './deadline.ts'
import { createIncoming, readMessages } from './incoming.ts'
import { contentTypeProblem, status } from './refusal.ts'
import { createReply, passMessage, type Reply } from './reply.ts'
import type { CallContext } from './running-call.ts'

/** Answers one message with one. A ProtoJsonError ends the call with its status, any other error with INTERNAL. */
type OwnMethod = (message: Uint8Array) => Uint8Array

/** The methods that a front answers itself, by path. */
export type OwnMethods = ReadonlyMap<string, OwnMethod>

/** The longest message of a conversation, in bytes; a question about a name is far below. */
const longestMessage = 65_536

/**
 * Holds one conversation. It ends when the client ends or leaves it, at the first message that cannot be answered, or
 * when the client has sent nothing, or no end of a message, for as long as one message may take.
 */
export function converse(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  method: OwnMethod,
  { bounds: { maxMessageBytes, messageWithinMs }, intake }: Pick<CallContext, 'bounds' | 'intake'>,
): void {
  const contentType = headers['content-type'] ?? ''
  const reply = createReply(stream, contentType, messageWithinMs)
  const deadline = readDeadline(headers)
  const problem = contentTypeProblem(contentType)
  if (problem !== null) {
    reply.end(problem)
    return
  }
  if (typeof deadline === 'object') {
    reply.end(deadline)
    return
  }
  endAt(deadline, reply, stream)
  const held = intake.enter(reply.end)
  const nothing = `Cannot answer call: nothing was asked for ${messageWithinMs} ms`
  const silence = after(messageWithinMs, () => reply.end(status('DEADLINE_EXCEEDED', nothing)))
  stream.on('data', () => {
    if (reply.isOpen()) silence.refresh()
  })
  const incoming = createIncoming({
    held,
    maxBytes: Math.min(maxMessageBytes, longestMessage),
    withinMs: messageWithinMs,
    isKept: false,
    end: reply.end,
  })
  stream.once('close', () => {
    clearTimeout(silence)
    incoming.close()
    held.leave()
  })
  const take = (message: Uint8Array) => passMessage(method(message), reply, stream)
  readMessages(stream, reply, incoming, { action: 'Cannot answer call', take, end: reply.end })
}

/** Ends the conversation when its deadline passes; milliseconds of the monotonic clock. */
function endAt(deadline: number, reply: Reply, stream: ServerHttp2Stream): void {
  if (deadline === Number.POSITIVE_INFINITY) return
  const timer = after(Math.max(0, deadline - performance.now()), () => reply.end(deadlinePassed))
  stream.once('close', () => clearTimeout(timer))
}
