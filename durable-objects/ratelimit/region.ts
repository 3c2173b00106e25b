/** RegionObject: holds leases of the counters of one object, and hands them on to the holders of its region. */

import { DurableObject } from 'cloudflare:workers'
import { createLeaseHolder } from '#ratelimit/lease/holder.ts'
import { type Draw, readQuestion, type WireDraw } from '#ratelimit/lease/lease.ts'
import { createLeaseBook } from '#ratelimit/lease/lease-book.ts'
import { answerDraw, beginDraw, isHandedOn, type RegionLeases } from '#ratelimit/lease/region.ts'
import { type DrawCall, leaseSource } from '#ratelimit/lease/source.ts'
import { readSettings } from '#ratelimit/settings.ts'
import { drawCalls } from './back-end/lease-source.ts'
import type { RatelimitEnv } from './env.ts'

/** Answers questions of leases in a region from leases that it holds; what a dead object held counts as used. */
export class RegionObject extends DurableObject<RatelimitEnv> {
  readonly #settings = readSettings({ ...this.env })
  readonly #holder = createLeaseHolder({
    most: this.#settings.LEASES_MAX_KEYS,
    source: leaseSource(this.#settings, drawCalls(this.env, this.#settings), () => Math.floor(Date.now() / 1000)),
    world: {
      now: Date.now,
      wait: (milliseconds) => scheduler.wait(milliseconds),
      drawId: () => Math.floor(Math.random() * Number.MAX_SAFE_INTEGER),
    },
    mayReturn: (name) => !isHandedOn(this.#leases, name, Date.now()),
  })
  readonly #leases: RegionLeases = { held: this.#holder.held, book: createLeaseBook() }
  readonly #carrier = {
    later: (work: Promise<void>) => this.ctx.waitUntil(work),
    // The isolates count what they draw.
    stats: { record() {} },
  }

  /** Answers each question in turn; null where the counter had to be asked and did not answer. */
  async lease({ object, id, holder, draws }: DrawCall): Promise<readonly (Draw | null)[]> {
    const begun = draws.map((wire) => beginDraw(this.#leases, wire, Date.now()))
    const questions = begun.flatMap(({ question }) => (question === null ? [] : [question]))
    const answers = questions.length === 0 ? [] : await this.#askCounter(object, questions)
    const answerTo = new Map(questions.map((question, index) => [question, answers[index]]))
    const drawn = begun.map((one) => {
      const home = one.question === null ? null : answerTo.get(one.question)
      // The counter was asked and did not answer.
      if (home === undefined) return null
      const drawing = { id, holder, nowMs: Date.now() }
      const { draw, askWithinMs } = answerDraw(this.#leases, one, home, drawing)
      const { name, limit } = readQuestion(one.wire)
      if (askWithinMs !== null) this.#holder.askWithin({ ...name, limit }, askWithinMs, this.#carrier)
      return draw
    })
    this.#holder.scheduleReturns(this.#carrier)
    return drawn
  }

  /** Returns no answers when the counter cannot be reached: the holders then ask it themselves. */
  async #askCounter(object: string, questions: readonly WireDraw[]): Promise<readonly Draw[]> {
    try {
      return await this.#holder.send(object, questions, this.#carrier.stats)
    } catch {
      return []
    }
  }
}
