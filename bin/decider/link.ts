/** The connection of a front to the service: questions of one turn travel in one message, and none is sent twice. */

import type { WebSocket } from 'undici'
import { messageOf } from '#base/errors.ts'
import { RatelimitError } from '#ratelimit/errors.ts'
import {
  frontCloseCodes,
  packItems,
  type Question,
  type Reply,
  readReplies,
  writeMessage,
  writeQuestion,
} from '#ratelimit/front/messages.ts'

/** A question before it has a number. */
export type Asked = Question extends infer One ? (One extends Question ? Omit<One, 'number'> : never) : never

/** Ends of a link. */
export interface FrontLinkOptions {
  readonly connect: () => WebSocket
  /** Takes the settings with which a connection begins. */
  readonly onReady: (settings: Readonly<Record<string, string>>) => void
  readonly warn: (message: string) => void
}

/** Milliseconds until a connection is tried again, doubled from the least to the most; and one that was refused. */
const retry = { leastMs: 100, mostMs: 5_000, refusedMs: 5_000 } as const
/** Milliseconds without a message, while answers are missing, after which a connection is taken for lost. */
const silentMs = 15_000
/** Answers that may be missing; a service that is slower than that gets a new connection. */
const mostUnanswered = 50_000

interface Waiting {
  readonly item: string
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}

/** Connects at once. */
export function createFrontLink({ connect, onReady, warn }: FrontLinkOptions) {
  /** Questions by number, in their order: those that were not sent, and those without an answer. */
  let unsent = new Map<number, Waiting>()
  const sent = new Map<number, Waiting>()
  const parts = new Map<number, string[]>()
  let socket: WebSocket | null = null
  let isReady = false
  let mayDecide = true
  let isClosed = false
  /** Failed attempts in a row; questions wait for the first attempt after a loss, and for no later one. */
  let failures = 0
  /** Questions that were ever asked; the last one's number. */
  let questions = 0
  /** Messages that this connection has sent, and those that it has received. */
  let [sequence, received] = [0, 0]
  /** Time of the last message that was received, or at which the connection was begun. */
  let heardMs = 0
  let isFlushing = false
  let timer: NodeJS.Timeout | undefined
  let lastWarning = ''

  function open(): void {
    const made = connect()
    socket = made
    sequence = 0
    received = 0
    heardMs = Date.now()
    made.addEventListener('message', ({ data }) => {
      if (made === socket) take(String(data))
    })
    made.addEventListener('close', ({ code, reason }) => leave(made, code, reason))
    made.addEventListener('error', () => leave(made, 0, 'the service cannot be reached'))
    clearTimeout(timer)
    timer = setTimeout(watch, silentMs)
    timer.unref()
  }

  function watch(): void {
    const isSilent = Date.now() - heardMs >= silentMs
    if (socket !== null && isSilent && (sent.size > 0 || !isReady)) leave(socket, 0, 'the service is silent')
    else {
      timer = setTimeout(watch, silentMs)
      timer.unref()
    }
  }

  function leave(left: WebSocket, code: number, reason: string): void {
    if (left !== socket) return
    socket = null
    const wasReady = isReady
    isReady = false
    left.close()
    parts.clear()
    const isRefused = code === frontCloseCodes.forwarding || code === frontCloseCodes.unauthorized
    if (isRefused) mayDecide = false
    failures = wasReady ? 0 : failures + 1
    const why = `the connection to the service was lost${reason === '' ? '' : ` (${reason})`}`
    rejectAll(sent, why)
    if (failures > 0 || isRefused) rejectAll(unsent, why)
    if (reason !== lastWarning && !isClosed) warn(`Front connection: ${reason === '' ? why : reason}`)
    lastWarning = reason
    if (isClosed) return
    clearTimeout(timer)
    // Fronts that lost the same service come back at different moments.
    timer = setTimeout(open, (isRefused ? retry.refusedMs : retryDelayMs(failures)) * (0.5 + Math.random() / 2))
    timer.unref()
  }

  function rejectAll(waiting: Map<number, Waiting>, state: string): void {
    const all = [...waiting.values()]
    waiting.clear()
    for (const { reject } of all) reject(away(state))
  }

  function take(text: string): void {
    heardMs = Date.now()
    try {
      const replies = readReplies(text, received + 1)
      received += 1
      for (const reply of replies) answer(reply)
    } catch (error) {
      if (socket !== null) leave(socket, 0, messageOf(error))
    }
  }

  function answer(reply: Reply): void {
    if (reply.kind === 'ready') {
      onReady(reply.settings)
      isReady = true
      mayDecide = true
      failures = 0
      lastWarning = ''
      flush()
      return
    }
    if (reply.kind === 'part') {
      const known = parts.get(reply.number)
      if (known === undefined) parts.set(reply.number, [reply.text])
      else known.push(reply.text)
      return
    }
    const waiting = sent.get(reply.number)
    if (waiting === undefined) throw new Error(`an answer has number ${reply.number}, which no question has`)
    sent.delete(reply.number)
    if (reply.kind === 'failed') {
      waiting.reject(new RatelimitError('counter_unavailable', reply.reason))
      return
    }
    const texts = parts.get(reply.number)
    parts.delete(reply.number)
    waiting.resolve(texts === undefined ? reply.value : JSON.parse(texts.join('')))
  }

  function flush(): void {
    isFlushing = false
    if (!isReady || socket === null || unsent.size === 0) return
    const leaving = unsent
    unsent = new Map()
    for (const [number, waiting] of leaving) sent.set(number, waiting)
    for (const items of packItems([...leaving.values()].map(({ item }) => item))) {
      sequence += 1
      socket.send(writeMessage(sequence, items))
    }
    if (sent.size > mostUnanswered) leave(socket, 0, `the service has not answered ${sent.size} questions`)
  }

  open()
  return {
    isOpen: (): boolean => isReady,
    /** False where the service has said that it must decide itself. */
    mayDecide: (): boolean => mayDecide,
    /** Asks; rejects with RatelimitError counter_unavailable where no answer will come. */
    ask(question: Asked): Promise<unknown> {
      if (isClosed || (!isReady && failures > 0)) return Promise.reject(away('the service cannot be reached'))
      questions += 1
      const number = questions
      return new Promise((resolve, reject) => {
        // The type of a question without its number is that of the question.
        const item = writeQuestion({ ...question, number } as Question)
        unsent.set(number, { item, resolve, reject })
        if (isFlushing) return
        isFlushing = true
        setImmediate(flush)
      })
    },
    close(): void {
      isClosed = true
      clearTimeout(timer)
      if (socket !== null) leave(socket, 0, '')
    },
  }
}

/** A connection that comes back by itself. */
export type FrontLink = ReturnType<typeof createFrontLink>

/** Milliseconds before the attempt after so many failures in a row. */
function retryDelayMs(failures: number): number {
  return failures === 0 ? 0 : Math.min(retry.mostMs, retry.leastMs * 2 ** Math.min(10, failures - 1))
}

function away(state: string): RatelimitError {
  return new RatelimitError('counter_unavailable', `Cannot count: ${state}`)
}
