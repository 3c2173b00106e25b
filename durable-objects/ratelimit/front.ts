/** FrontObject: the service's end of the connection of one front, which decides where the caller is. */

import { DurableObject } from 'cloudflare:workers'
import { RatelimitError, unavailable } from '#ratelimit/errors.ts'
import { handOverSettings } from '#ratelimit/front/handed-settings.ts'
import { writeHits } from '#ratelimit/front/hits.ts'
import {
  frontCloseCodes,
  packItems,
  type Question,
  type Reply,
  readQuestions,
  writeMessage,
  writeReply,
} from '#ratelimit/front/messages.ts'
import { encodeDraws } from '#ratelimit/lease/lease.ts'
import { type DrawCall, leaseSource } from '#ratelimit/lease/source.ts'
import { type LocationHint, locationHints } from '#ratelimit/placement/places.ts'
import { asLook } from '#ratelimit/ports.ts'
import { readSettings } from '#ratelimit/settings.ts'
import { frontStats } from '#ratelimit/statistics/names.ts'
import { consoleLogger } from '../base/log.ts'
import { closeReason } from '../base/refuse-socket.ts'
import { countJointly, type JointRequest } from './back-end/joint-counts.ts'
import { placedDraws } from './back-end/region-draws.ts'
import { openBackEnd } from './back-end/store.ts'
import { type RatelimitEnv, statsName, usageName } from './env.ts'
import { pendingCounts } from './pending-counts.ts'

/** State of a connection that outlives the memory of an idle object. */
interface Attachment {
  /** Number of the latest message of the front. */
  readonly received: number
  /** Number of the latest message of the service. */
  readonly sent: number
  /** The region of LEASE_REGIONS that is nearest to the front; null where there is none. */
  readonly region: LocationHint | null
}

/** Characters of one part of a long answer. */
const partLength = 262_144

/**
 * Counts, draws and hands over for one front, over one hibernating WebSocket. The questions of a message are answered
 * together as far as they end together. The object keeps nothing: what a front holds is known to the counters.
 */
export class FrontObject extends DurableObject<RatelimitEnv> {
  readonly #settings = readSettings({ ...this.env })
  readonly #source = leaseSource(
    this.#settings,
    placedDraws(this.env, this.#settings, () => this.#region),
    () => Math.floor(Date.now() / 1000),
  )
  readonly #counts = pendingCounts(this.env, this.#settings, this.ctx)
  /** Answers that wait for others to travel with, by connection. */
  readonly #outbox = new Map<WebSocket, string[]>()
  #unanswered = 0
  #region: LocationHint | null = null
  #flushTimer: ReturnType<typeof setTimeout> | null = null

  /** Opens the connection of a checked caller, whose region is in the query, in the place of its last one. */
  override async fetch(request: Request): Promise<Response> {
    for (const old of this.ctx.getWebSockets()) close(old, 'replaced', 'Cannot go on: this front has connected again')
    const { 0: socket, 1: server } = new WebSocketPair()
    this.ctx.acceptWebSocket(server)
    const ready: Reply = { kind: 'ready', settings: handOverSettings({ ...this.env }) }
    server.send(writeMessage(1, [writeReply(ready)]))
    const named = new URL(request.url).searchParams.get('region')
    const region = locationHints.find((hint) => hint === named) ?? null
    server.serializeAttachment({ received: 0, sent: 1, region } satisfies Attachment)
    this.#counts.add(frontStats.connections, 1)
    return new Response(null, { status: 101, webSocket: socket })
  }

  /** Answers the questions of one message; of a connection that was refused none. */
  override async webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): Promise<void> {
    if (socket.readyState !== WebSocket.OPEN) return
    const attachment = attachmentOf(socket)
    const received = attachment.received + 1
    this.#region = attachment.region
    try {
      const questions = readQuestions(typeof message === 'string' ? message : '', received)
      socket.serializeAttachment({ ...attachment, received } satisfies Attachment)
      await this.#answerAll(socket, questions)
    } catch (error) {
      if (!(error instanceof RatelimitError)) throw error
      this.#counts.add(frontStats.refusedMessages, 1)
      consoleLogger(this.#settings).warning(error.message)
      close(socket, 'malformed', error.message)
    }
  }

  override async webSocketClose(socket: WebSocket): Promise<void> {
    this.#outbox.delete(socket)
    // The closing handshake needs an answer (RFC 6455, 5.5.1).
    socket.close()
  }

  override async webSocketError(socket: WebSocket): Promise<void> {
    this.#outbox.delete(socket)
  }

  async #answerAll(socket: WebSocket, questions: readonly Question[]): Promise<void> {
    const joint: JointRequest[] = []
    const others: Promise<void>[] = []
    this.#unanswered += questions.length
    for (const question of questions) {
      const { number } = question
      const answer = (value: unknown) => this.#reply(socket, number, value)
      const fail = (error: unknown) => this.#fail(socket, number, error)
      const isHits = question.kind === 'hit' || question.kind === 'look'
      if (isHits && this.#settings.BACKEND_TYPE === 'durable-object') joint.push(jointRequest(question, answer, fail))
      else others.push(this.#findAnswer(question).then(answer, fail))
    }
    const counters = { namespace: this.env.COUNTER, placement: this.#settings.placement }
    await Promise.all([countJointly(joint, counters), ...others])
  }

  async #findAnswer(question: Question): Promise<unknown> {
    switch (question.kind) {
      case 'hit':
        return writeHits(await openBackEnd(this.env, this.#settings, this.ctx).hit(question.hits))
      case 'look':
        return writeHits(await openBackEnd(this.env, this.#settings, this.ctx).peek(question.hits))
      case 'draw':
        this.#assertPlaced(question.call)
        return encodeDraws(await this.#source.draw(question.call))
      case 'stats': {
        const { sender, batch, deltas } = question
        return this.env.STATS.getByName(statsName).add(sender, batch, deltas, this.#settings.STATS_MAX_NAMES)
      }
      case 'usage':
        return this.env.STATS.getByName(usageName).report(question.report, this.#settings.USAGE_RECORD_REQUESTS)
      case 'rules':
        return this.env.RULE_BOOK.getByName('default').newerThan(question.revision, question.listVersion)
    }
  }

  /** A front whose settings are not these would draw from an object that does not count the key. */
  #assertPlaced({ object, draws }: DrawCall): void {
    if (draws.every(([key]) => this.#source.objectOf(key) === object)) return
    throw new RatelimitError(
      'malformed_request',
      'Cannot draw: a key is not of the object named, expected its placement',
    )
  }

  #reply(socket: WebSocket, number: number, value: unknown): void {
    const text = JSON.stringify(value) ?? 'null'
    if (text.length <= partLength) {
      this.#send(socket, [`["ok",${number},${text}]`])
      return
    }
    const parts: string[] = []
    for (let from = 0; from < text.length; from += partLength) {
      parts.push(writeReply({ kind: 'part', number, text: text.slice(from, from + partLength) }))
    }
    this.#send(socket, [...parts, writeReply({ kind: 'ok', number, value: null })])
  }

  #fail(socket: WebSocket, number: number, error: unknown): void {
    const reason = unavailable(error).message
    this.#send(socket, [writeReply({ kind: 'failed', number, reason })])
  }

  /** Sends once nothing is to be answered, or in a turn that other answers reach too. */
  #send(socket: WebSocket, items: readonly string[]): void {
    const waiting = this.#outbox.get(socket)
    if (waiting === undefined) this.#outbox.set(socket, [...items])
    else waiting.push(...items)
    this.#unanswered -= 1
    if (this.#unanswered === 0) this.#flushAll()
    else this.#flushTimer ??= setTimeout(() => this.#flushAll(), 0)
  }

  #flushAll(): void {
    clearTimeout(this.#flushTimer)
    this.#flushTimer = null
    for (const [socket, items] of this.#outbox) {
      this.#outbox.delete(socket)
      if (socket.readyState !== WebSocket.OPEN) continue
      const attachment = attachmentOf(socket)
      let { sent } = attachment
      for (const message of packItems(items)) {
        sent += 1
        socket.send(writeMessage(sent, message))
      }
      socket.serializeAttachment({ ...attachment, sent } satisfies Attachment)
    }
  }
}

function jointRequest(
  { kind, hits }: Extract<Question, { readonly hits: unknown }>,
  answer: (value: unknown) => void,
  fail: (error: unknown) => void,
): JointRequest {
  const counted = kind === 'look' ? hits.map(asLook) : hits
  return { hits: counted, answer: (answers) => answer(writeHits(answers)), fail }
}

function attachmentOf(socket: WebSocket): Attachment {
  // Only this object writes it.
  return socket.deserializeAttachment() as Attachment
}

function close(socket: WebSocket, code: keyof typeof frontCloseCodes, reason: string): void {
  socket.close(frontCloseCodes[code], closeReason(reason))
}
