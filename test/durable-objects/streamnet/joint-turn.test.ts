/** Requests of one turn: their order, their bounds, and one that cannot be written. */

import { describe, expect, it } from 'vitest'
import type { RpcAnswer } from '#devnode/rpc/errors.ts'
import { createJointTurn, mostTogether } from '#objects/streamnet/joint-turn.ts'

const methods = new Map()
const answerTo = (text: string): RpcAnswer => ({
  kind: 'answer',
  status: 200,
  body: { jsonrpc: '2.0', id: text, result: text },
})

/** Answers every request by its text, and notes which texts came together. */
function openTurn(refuses: (texts: readonly string[]) => boolean = () => false) {
  const turns: (readonly string[])[] = []
  const ask = createJointTurn((requests) => {
    const texts = requests.map(({ text }) => text)
    turns.push(texts)
    if (refuses(texts)) throw new Error(`no room for ${texts.length}`)
    return texts.map(answerTo)
  })
  return { turns, ask: (text: string) => ask({ methods, text }) }
}

const namesOf = (count: number) => Array.from({ length: count }, (_, at) => `request ${at}`)

describe('createJointTurn()', () => {
  it('answers what arrives together in one turn, in its order, and what comes later in another', async () => {
    const { turns, ask } = openTurn()
    expect(await Promise.all(['a', 'b', 'c'].map(ask))).toEqual(['a', 'b', 'c'].map(answerTo))
    expect(await ask('d')).toEqual(answerTo('d'))
    expect(turns).toEqual([['a', 'b', 'c'], ['d']])
  })

  it('puts at most 32 requests into a turn', async () => {
    const { turns, ask } = openTurn()
    const names = namesOf(2 * mostTogether + 1)
    expect(await Promise.all(names.map(ask))).toEqual(names.map(answerTo))
    expect(turns.map(({ length }) => length)).toEqual([32, 32, 1])
  })

  it('answers at once when requests have two million characters together', async () => {
    const { turns, ask } = openTurn()
    const long = 'x'.repeat(1_200_000)
    await Promise.all([long, long, 'a'].map(ask))
    expect(turns.map(({ length }) => length)).toEqual([2, 1])
  })

  it('leaves no timer of a full turn, which would end the next one early', async () => {
    const { turns, ask } = openTurn()
    await Promise.all(namesOf(mostTogether).map(ask))
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(turns.map(({ length }) => length)).toEqual([32])
  })

  it('answers each separately when they cannot be answered together', async () => {
    const { turns, ask } = openTurn((texts) => texts.includes('bad'))
    const answers = await Promise.allSettled(['a', 'bad', 'c'].map(ask))
    expect(answers).toEqual([
      { status: 'fulfilled', value: answerTo('a') },
      { status: 'rejected', reason: new Error('no room for 1') },
      { status: 'fulfilled', value: answerTo('c') },
    ])
    expect(turns).toEqual([['a', 'bad', 'c'], ['a'], ['bad'], ['c']])
  })
})
