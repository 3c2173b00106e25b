/** A service in memory behind connections of fronts that cut, repeat and overtake messages: it speaks by the real ones. */

import type { WebSocket } from 'undici'
import type { Random } from '#base/random.ts'
import type { Window } from '#ratelimit/counter.ts'
import { writeHits } from '#ratelimit/front/hits.ts'
import { packItems, type Question, readQuestions, writeMessage, writeReply } from '#ratelimit/front/messages.ts'
import { drawFrom } from '#ratelimit/lease/draw.ts'
import { type Draw, encodeDraws, type WireDraw } from '#ratelimit/lease/lease.ts'
import { createLeaseBook } from '#ratelimit/lease/lease-book.ts'
import type { Unit } from '#ratelimit/types.ts'
import { units } from '#ratelimit/window.ts'

/** The service to make, and the faults of its network. */
export interface FrontWorldPlan {
  readonly random: Random
  /** Settings that the service hands over. */
  readonly settings: Readonly<Record<string, string>>
  /** Text of its one file of rules. */
  readonly rules: string
  /** Milliseconds by which its clock differs from that of the fronts. */
  readonly offsetMs: number
  /** Milliseconds of one way. */
  readonly delayMs: number
  /** Part of messages, 0 to 1, that meet each of the faults. */
  readonly faulty: number
}

/** A socket of a front; its other end is the world's. */
class FrontSocket extends EventTarget {
  readonly #onSend: (text: string) => void
  readonly #onClose: () => void
  constructor(onSend: (text: string) => void, onClose: () => void) {
    super()
    this.#onSend = onSend
    this.#onClose = onClose
  }
  send(text: string): void {
    this.#onSend(text)
  }
  close(): void {
    this.#onClose()
  }
}

/** The end of the service: the numbers of its messages. */
interface End {
  readonly socket: FrontSocket
  isOpen: boolean
  received: number
  sent: number
}

/** A running world; its time is that of the timers in force. */
export interface FrontWorld {
  /** Opens a connection of a front. */
  connect(): WebSocket
  /** Cuts all connections; messages on their way to the service may still be read. */
  cut(): void
  /** The service is started anew from what it has written. */
  crash(): void
  /** A front gives back a lease that it never had. */
  lie(key: string, unit: Unit, limit: number): void
  /** Connections that ended because a message was not what the form asks for. */
  malformed(): number
  /** The sum of a statistic that fronts have handed over. */
  statistic(name: string): number
}

/** Makes a service without hits. */
export function createFrontWorld({ random, settings, rules, offsetMs, delayMs, faulty }: FrontWorldPlan): FrontWorld {
  const ends = new Set<End>()
  const windows = new Map<string, Window>()
  let book = createLeaseBook()
  const statistics = new Map<string, number>()
  let malformed = 0

  function draw(id: number, holder: number, wire: WireDraw): Draw {
    const [name, unitIndex] = wire
    const unit = units[unitIndex] ?? 'DAY'
    const counter = { name, unit, window: windows.get(name), isBlocked: false }
    const drawn = drawFrom(book, counter, wire, { id, holder, nowMs: Date.now() + offsetMs })
    windows.set(name, drawn.window)
    return drawn.draw
  }

  /** Carries a message, perhaps not as it was sent. */
  function carry(text: string, deliver: (text: string) => void): void {
    const chance = random.uniform()
    const arrive = (arriving: string, afterMs = delayMs) => void setTimeout(() => deliver(arriving), afterMs)
    if (chance < faulty) arrive(text.slice(0, random.integer(0, text.length - 1)))
    else if (chance < faulty * 2) for (const _ of [1, 2]) arrive(text)
    else if (chance < faulty * 3) arrive(text, delayMs + random.integer(1, 200))
    else if (chance > 1 - faulty) return
    else arrive(text)
  }

  function leave(end: End, code: number, reason: string): void {
    end.isOpen = false
    ends.delete(end)
    setTimeout(() => end.socket.dispatchEvent(Object.assign(new Event('close'), { code, reason })), delayMs)
  }

  function say(end: End, items: readonly string[]): void {
    for (const message of packItems(items)) {
      end.sent += 1
      carry(writeMessage(end.sent, message), (data) => {
        if (end.isOpen) end.socket.dispatchEvent(new MessageEvent('message', { data }))
      })
    }
  }

  function take(end: End, text: string): void {
    try {
      const questions = readQuestions(text, end.received + 1)
      end.received += 1
      const answers = questions.map((question) => {
        const { number } = question
        const value = findValue(question)
        const isLost = random.uniform() < faulty
        const reason = 'the counter did not answer'
        return writeReply(isLost ? { kind: 'failed', number, reason } : { kind: 'ok', number, value })
      })
      say(end, answers)
    } catch {
      malformed += 1
      if (end.isOpen) leave(end, 4_400, 'malformed')
    }
  }

  function findValue(question: Question): unknown {
    switch (question.kind) {
      case 'hit':
      case 'look': {
        const hits = question.hits.map(({ key, unit, addend, limit = 0 }) => {
          const counted = question.kind === 'hit' ? addend : 0
          const { after } = draw(random.uint32(), 1, [key, units.indexOf(unit), counted, limit, 0, 0, []])
          return { after, secondsUntilReset: 60 }
        })
        return writeHits(hits)
      }
      case 'draw': {
        const { id, holder, draws } = question.call
        return encodeDraws(draws.map((wire) => draw(id, holder, wire)))
      }
      case 'rules':
        return question.revision < 1 ? { revision: 1, files: [{ key: 'rules.yaml', text: rules }] } : null
      case 'stats':
        for (const { name, delta } of question.deltas) statistics.set(name, (statistics.get(name) ?? 0) + delta)
        return 5_000
      default:
        return 5_000
    }
  }

  return {
    connect() {
      const socket = new FrontSocket(
        (text) => carry(text, (arrived) => take(end, arrived)),
        () => {
          end.isOpen = false
          ends.delete(end)
        },
      )
      const end: End = { socket, isOpen: true, received: 0, sent: 0 }
      ends.add(end)
      say(end, [writeReply({ kind: 'ready', settings })])
      // Every member that a link uses is there.
      return socket as unknown as WebSocket
    },
    cut() {
      for (const end of [...ends]) leave(end, 1_006, 'cut')
    },
    crash() {
      book = createLeaseBook()
      for (const end of [...ends]) leave(end, 1_006, 'crash')
    },
    lie(key, unit, limit) {
      const returned = [random.uint32(), random.integer(1, 1_000)]
      draw(random.uint32(), random.uint32(), [key, units.indexOf(unit), 0, limit, 0, 0, returned])
    },
    malformed: () => malformed,
    statistic: (name) => statistics.get(name) ?? 0,
  }
}
