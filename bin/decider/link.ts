/** The connection of a front to the service: questions of one turn travel in one message, and none is sent twice. */

import type { WebSocket } from 'undici'
import { messageOf } from '#base/errors.ts'
import { frontCloseCodes, packItems, readReplies, writeMessage } from '#ratelimit/front/messages.ts'
import { createReconnectingSocket, type Loss, reconnectDelayMs, spreadDelay } from '../web-socket/reconnecting.ts'
import { type Asked, cannotCount, createQuestions } from './questions.ts'
import { createSilenceWatch } from './silence-watch.ts'

/** Ends of a link. */
export interface FrontLinkOptions {
  readonly connect: () => WebSocket
  /** Takes the settings with which a connection begins. */
  readonly onReady: (settings: Readonly<Record<string, string>>) => void
  readonly warn: (message: string) => void
}

/** Milliseconds until a connection that the service refused is tried again. */
const refusedMs = 5_000
/** Milliseconds without a message, while answers are missing, after which a connection is taken for lost. */
const silentMs = 15_000
/** Answers that may be missing; a service that is slower than that gets a new connection. */
const mostUnanswered = 50_000

const lost = 'the connection to the service was lost'

/** Connects at once. */
export function createFrontLink({ connect, onReady, warn }: FrontLinkOptions) {
  const questions = createQuestions()
  const watch = createSilenceWatch({
    silentMs,
    isExpecting: () => questions.unanswered() > 0 || !isReady,
    onSilence: () => socket.lose('the service is silent'),
  })
  /** Messages that this connection has sent and received. */
  let messages = { sent: 0, received: 0 }
  let isReady = false
  let mayDecide = true
  let isClosed = false
  /** Failed attempts in a row, -1 while ready; questions wait for the first attempt after a loss, and for no later one. */
  let failures = 0
  let isFlushing = false
  let lastWarning = ''
  const socket = createReconnectingSocket({ connect: start, onText: take, onLoss: leave })

  function start(): WebSocket {
    messages = { sent: 0, received: 0 }
    const opened = connect()
    watch.start()
    return opened
  }

  function leave({ code, reason }: Loss): number {
    watch.stop()
    const isRefused = code === frontCloseCodes.forwarding || code === frontCloseCodes.unauthorized
    if (isRefused) mayDecide = false
    failures += 1
    isReady = false
    const state = reason === '' ? lost : `${lost} (${reason})`
    questions.rejectSent(state)
    if (failures > 0 || isRefused) questions.rejectUnsent(state)
    if (reason !== lastWarning) warn(`Front connection: ${reason === '' ? state : reason}`)
    lastWarning = reason
    if (isRefused) return spreadDelay(refusedMs)
    return failures === 0 ? 0 : spreadDelay(reconnectDelayMs(failures - 1))
  }

  function take(text: string): void {
    watch.note()
    try {
      const replies = readReplies(text, messages.received + 1)
      messages.received += 1
      for (const reply of replies) {
        if (reply.kind === 'ready') becomeReady(reply.settings)
        else questions.settle(reply)
      }
    } catch (error) {
      socket.lose(messageOf(error))
    }
  }

  function becomeReady(settings: Readonly<Record<string, string>>): void {
    isReady = true
    // It may ask at once; settings that it refuses by an error make this attempt one that failed.
    onReady(settings)
    mayDecide = true
    failures = -1
    lastWarning = ''
    flush()
  }

  function flush(): void {
    isFlushing = false
    const open = socket.current()
    if (!isReady || open === null) return
    for (const items of packItems(questions.takeUnsent())) {
      messages.sent += 1
      open.send(writeMessage(messages.sent, items))
    }
    const missing = questions.unanswered()
    if (missing > mostUnanswered) socket.lose(`the service has not answered ${missing} questions`)
  }

  return {
    isOpen: (): boolean => isReady,
    /** False where the service has said that it must decide itself. */
    mayDecide: (): boolean => mayDecide,
    /** Asks; rejects with RatelimitError counter_unavailable where no answer will come. */
    ask(question: Asked): Promise<unknown> {
      if (isClosed || (!isReady && failures > 0)) return Promise.reject(cannotCount('the service cannot be reached'))
      const answer = questions.add(question)
      if (!isFlushing) setImmediate(flush)
      isFlushing = true
      return answer
    },
    close(): void {
      isClosed = true
      isReady = false
      watch.stop()
      socket.close()
      questions.rejectSent(lost)
      questions.rejectUnsent(lost)
    },
  }
}

/** A connection that comes back by itself. */
export type FrontLink = ReturnType<typeof createFrontLink>
