/**
 * Requests that arrive close together are answered in one turn, because the platform commits once for a turn: the disk
 * syncs once for all of them, and a row that each of them changes is written once.
 */

import type { RpcAnswer } from '#devnode/rpc/errors.ts'
import type { MethodTable } from '#devnode/rpc.ts'

/** A request and the methods that its port has. */
export interface AskedRequest {
  readonly methods: MethodTable
  readonly text: string
}

interface Waiting extends AskedRequest {
  resolve(answer: RpcAnswer): void
  reject(cause: unknown): void
}

/** The most requests of a turn: each takes up to a millisecond, for which reads have to wait. */
export const mostTogether = 32
/** With so many characters the requests of a turn are answered at once, because each is held in memory. */
const mostCharacters = 2_000_000

/**
 * Makes a function that puts a request into the next turn and gives its answer.
 *
 * @param answerAll - answers requests in their order, one answer for each; where it throws, it has changed nothing, and
 * is called again for each request separately, so that one that cannot be written does not take others with it.
 */
export function createJointTurn(
  answerAll: (requests: readonly AskedRequest[]) => readonly RpcAnswer[],
): (request: AskedRequest) => Promise<RpcAnswer> {
  let waiting: Waiting[] = []
  let characters = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  const answerWaiting = () => {
    // A full turn does not wait for its timer, which would end the next one early.
    if (timer !== undefined) clearTimeout(timer)
    const together = waiting
    waiting = []
    characters = 0
    if (!settle(together, answerAll)) for (const one of together) settle([one], answerAll)
  }
  return (request) =>
    new Promise((resolve, reject) => {
      waiting.push({ ...request, resolve, reject })
      characters += request.text.length
      if (waiting.length >= mostTogether || characters >= mostCharacters) answerWaiting()
      // A timer lets the runtime deliver what other connections have sent meanwhile; a microtask would not.
      else if (waiting.length === 1) timer = setTimeout(answerWaiting, 0)
    })
}

/** @returns false where several could not be answered together, and none of them has its answer. */
function settle(
  together: readonly Waiting[],
  answerAll: (requests: readonly AskedRequest[]) => readonly RpcAnswer[],
): boolean {
  try {
    // There is one answer for each request, in their order.
    for (const [at, answer] of answerAll(together).entries()) together[at]?.resolve(answer)
  } catch (cause) {
    if (together.length > 1) return false
    for (const { reject } of together) reject(cause)
  }
  return true
}
