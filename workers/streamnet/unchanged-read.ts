/** Answers of the deployment's own node that are given again while its state is the one in which it gave them. */

import { readNodeState } from '#objects/streamnet/upstream.ts'
import type { KeptAnswer } from './adapters/gateway-isolate.ts'
import { reportUpstream } from './adapters/gateway-stats.ts'
import type { Call } from './call.ts'

/** How long an answer is kept that is not asked for, in milliseconds; whether it is good the node says each time. */
const keptMs = 3_600_000

/**
 * The key of an answer: who asks, with which token, and the question as it was sent. The same text from the same
 * caller needs no check of its parameters and scopes again.
 *
 * @param question - the operation with its body, or the address.
 */
export function unchangedReadKey({ request, grant }: Call, question: string): string {
  return `state\n${grant.name}\n${request.headers.get('authorization')}\n${question}`
}

/**
 * Finds an answer that the node would give again, by one question for the name of its state.
 *
 * @returns undefined when none is kept, or anything was written since: by a block, or by a development method.
 */
export async function findUnchanged(
  { env, isolate, after }: Call,
  key: string,
): Promise<KeptAnswer | undefined> {
  const kept = isolate.answers.get(key, Date.now())
  if (kept?.state === undefined) return undefined
  const startMs = Date.now()
  const state = await readNodeState(env)
  reportUpstream(env, after, (Date.now() - startMs) / 1000, state !== undefined)
  return state === kept.state ? kept : undefined
}

/**
 * Keeps an answer for the state in which it was read.
 *
 * @param states - every state in which the node answered one of the questions behind it: with more than one it is not
 * kept, because no single state gives it; another node than the embedded one names none.
 * @returns whether it is kept.
 */
export function keepUnchanged(
  { isolate }: Call,
  key: string,
  answer: Omit<KeptAnswer, 'state'>,
  states: ReadonlySet<string>,
): boolean {
  const [state] = states
  if (states.size !== 1 || !state) return false
  isolate.answers.put(key, { ...answer, state }, Date.now() + keptMs)
  return true
}
