/** findCounter: a counter with its mark and its token, or null where the server does not have it. */

import { expect, test } from 'vitest'
import { findCounter } from '#objects/ratelimit/memcache/found-counter.ts'
import { type Answer, readAnswers } from '#ratelimit/memcache/text.ts'

/** Asks a server that answers with these bytes. */
const answering = (text: string) => async (): Promise<Answer> => {
  const [answer] = readAnswers(new TextEncoder().encode(text)).replies
  if (answer === undefined) throw new Error('the answer is incomplete')
  return answer
}

test.each([
  ['a counter', 'VALUE k_0 0 2 41\r\n17\r\nEND\r\n', { count: 17, flags: 0, token: '41' }],
  ['a marked counter', 'VALUE k_0 3 2 5\r\n17\r\nEND\r\n', { count: 17, flags: 3, token: '5' }],
  ['a counter that decr has left with a space', 'VALUE k_0 0 2 5\r\n9 \r\nEND\r\n', { count: 9, flags: 0, token: '5' }],
  ['a missing counter', 'END\r\n', null],
  ['another key', 'VALUE other 0 1 5\r\n9\r\nEND\r\n', null],
  ['an answer without a token', 'VALUE k_0 0 1\r\n9\r\nEND\r\n', null],
  ['an answer of another kind', 'NOT_FOUND\r\n', null],
] as const)('findCounter() reads %s', async (_, text, expected) => {
  expect(await findCounter(answering(text), 'k_0')).toEqual(expected)
})
