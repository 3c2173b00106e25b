/** The questions of a front: those that are still to be sent, and those that wait for an answer. */

import { RatelimitError } from '#ratelimit/errors.ts'
import { type Question, type Reply, writeQuestion } from '#ratelimit/front/messages.ts'

/** A question before it has a number. */
export type Asked = Question extends infer One ? (One extends Question ? Omit<One, 'number'> : never) : never

/** A reply to a question. */
export type Answer = Exclude<Reply, { readonly kind: 'ready' }>

interface Waiting {
  /** The question as an item of a message. */
  readonly item: string
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}

/** Starts without questions; they are numbered 1, 2, 3. */
export function createQuestions() {
  /** Questions by number, in their order. */
  let unsent = new Map<number, Waiting>()
  const sent = new Map<number, Waiting>()
  /** The text of an answer that comes in parts, as far as it has come, by the number of its question. */
  const parts = new Map<number, string>()
  let lastNumber = 0

  return {
    /** Adds a question to send. @returns its answer; rejects with RatelimitError counter_unavailable when none will come. */
    add(question: Asked): Promise<unknown> {
      lastNumber += 1
      const number = lastNumber
      return new Promise((resolve, reject) => {
        // The type of a question without its number is that of the question.
        const item = writeQuestion({ ...question, number } as Question)
        unsent.set(number, { item, resolve, reject })
      })
    },
    /** Takes the items of the questions to send; each is given out once. */
    takeUnsent(): readonly string[] {
      const leaving = unsent
      unsent = new Map()
      for (const [number, waiting] of leaving) sent.set(number, waiting)
      return [...leaving.values()].map(({ item }) => item)
    },
    /** Questions that were sent and have no answer. */
    unanswered: (): number => sent.size,
    /** Takes an answer, or a part of one. @throws Error when no question has its number, or its parts are not JSON. */
    settle(answer: Answer): void {
      const { kind, number } = answer
      if (kind === 'part') {
        parts.set(number, (parts.get(number) ?? '') + answer.text)
        return
      }
      const waiting = sent.get(number)
      if (waiting === undefined) throw new Error(`an answer has number ${number}, which no question has`)
      const text = parts.get(number)
      if (kind === 'failed') waiting.reject(new RatelimitError('counter_unavailable', answer.reason))
      else waiting.resolve(text === undefined ? answer.value : JSON.parse(text))
      // Last: parts that are not JSON together leave the question to be rejected with its connection.
      sent.delete(number)
      parts.delete(number)
    },
    /** Rejects the questions that were sent, whose answers would have come on a connection that is lost. */
    rejectSent(state: string): void {
      parts.clear()
      rejectAll(sent, state)
    },
    rejectUnsent: (state: string): void => rejectAll(unsent, state),
  }
}

function rejectAll(waiting: Map<number, Waiting>, state: string): void {
  for (const { reject } of waiting.values()) reject(cannotCount(state))
  waiting.clear()
}

/** The error of a question that gets no answer. */
export function cannotCount(state: string): RatelimitError {
  return new RatelimitError('counter_unavailable', `Cannot count: ${state}`)
}
