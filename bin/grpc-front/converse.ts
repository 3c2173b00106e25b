/** Answers a call that the front takes itself instead of forwarding it: one answer for every message, in order. */

import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import { errorStatus } from '../../proto-json/grpc-web/status.ts'
import { createFrameDecoder, ProtoJsonError, type Status, statusCodes } from '../../proto-json/index.ts'
import { longestDelayMs, readDeadline, unknownContentType, type Way } from './forward.ts'
import { createReply, type Reply } from './reply.ts'

/** Answers one message with one. What it throws ends the call: a ProtoJsonError of the caller's making, or INTERNAL. */
export type OwnMethod = (message: Uint8Array) => Uint8Array

/** The methods that a front answers itself, by path. */
export type OwnMethods = ReadonlyMap<string, OwnMethod>

/** The content types of a message in bytes. */
const contentTypes = ['application/grpc', 'application/grpc+proto']

/** The longest message of a conversation, in bytes; a question about a name is far below. */
const longestMessage = 65_536

/**
 * Holds one conversation: it ends when the client has said everything, when the client leaves, at the first message
 * that makes no sense, or when the client has sent nothing for as long as one message may take.
 */
export function converse(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  method: OwnMethod,
  { bounds: { maxMessageBytes, messageWithinMs }, intake }: Pick<Way, 'bounds' | 'intake'>,
): void {
  const contentType = headers['content-type'] ?? ''
  const reply = createReply(stream, contentType)
  if (!contentTypes.includes(contentType.split(';', 1)[0] ?? '')) {
    reply.end(unknownContentType(contentType, contentTypes))
    return
  }
  const deadline = readDeadline(headers)
  if (typeof deadline === 'object') {
    reply.end(deadline)
    return
  }
  endAt(deadline, reply, stream)
  const held = intake.enter(reply.end)
  const silence = setTimeout(reply.end, Math.min(messageWithinMs, longestDelayMs), {
    code: statusCodes.DEADLINE_EXCEEDED,
    message: `Cannot answer call: nothing was asked for ${messageWithinMs} ms`,
  })
  stream.once('close', () => {
    clearTimeout(silence)
    held.leave()
  })
  const decoder = createFrameDecoder(Math.min(maxMessageBytes, longestMessage))
  const orEnd = (act: () => void) => {
    try {
      act()
    } catch (error) {
      reply.end(statusOf(error))
    }
  }
  stream.on('data', (chunk: Buffer) =>
    orEnd(() => {
      if (!reply.isOpen()) return
      silence.refresh()
      for (const { flags, payload } of decoder.push(chunk)) {
        if (flags !== 0)
          throw new ProtoJsonError('compressed_message', 'Cannot read message: it is compressed')
        say(method(payload), reply, stream)
      }
    }),
  )
  stream.on('end', () =>
    orEnd(() => {
      decoder.end()
      reply.end({ code: statusCodes.OK, message: '' })
    }),
  )
}

/** Ends the conversation when its deadline passes; milliseconds of the monotonic clock. */
function endAt(deadline: number, reply: Reply, stream: ServerHttp2Stream): void {
  if (deadline === Number.POSITIVE_INFINITY) return
  const outcome = {
    code: statusCodes.DEADLINE_EXCEEDED,
    message: 'Cannot answer call: its deadline has passed',
  }
  const delayMs = Math.min(Math.max(0, deadline - performance.now()), longestDelayMs)
  const timer = setTimeout(() => reply.end(outcome), delayMs)
  stream.once('close', () => clearTimeout(timer))
}

/** A client that reads slower than it asks is not listened to until it has caught up. */
function say(answer: Uint8Array, reply: Reply, stream: ServerHttp2Stream): void {
  if (reply.message(answer)) return
  stream.pause()
  reply.whenDrained(() => stream.resume())
}

function statusOf(error: unknown): Status {
  if (!(error instanceof ProtoJsonError)) {
    return { code: statusCodes.INTERNAL, message: 'Cannot answer call: the front has failed' }
  }
  return { code: errorStatus[error.code], message: error.message }
}
