/** The commands of an operator's block: a counter and its mark, raised, lowered, read and removed as one. */

import { describe, expect, it } from 'vitest'
import {
  lowerCommands,
  raiseCommands,
  readCommands,
  readStored,
  removeCommands,
} from '#ratelimit/redis/block-commands.ts'

describe('raiseCommands() and lowerCommands()', () => {
  const window = { key: 'shop_k_v_1200', unit: 'MINUTE', start: 1200 } as const

  const keys = ['2', 'shop_k_v_1200', '{shop_k_v_1200}:block']

  it('are one script each over the counter and its mark, for the node that holds the key', () => {
    const raised = raiseCommands(window, 1234, 7)
    expect(raised.key).toBe('shop_k_v_1200')
    expect(raised.commands).toEqual([['EVAL', expect.any(String), ...keys, '1099511627776', '33']])
    expect(lowerCommands(window).commands).toEqual([['EVAL', expect.any(String), ...keys]])
  })

  it('are beside commands that read and remove both', () => {
    expect(readCommands(window).commands).toEqual([['EVAL', expect.any(String), ...keys]])
    expect(removeCommands(window).commands).toEqual([['DEL', 'shop_k_v_1200', '{shop_k_v_1200}:block']])
  })
})

describe('readStored()', () => {
  it('tells the count of a counter apart from what a block has added', () => {
    expect(readStored(['7', ''])).toEqual({ count: 7, raisedBy: null })
    expect(readStored(['', ''])).toEqual({ count: 0, raisedBy: null })
    expect(readStored(['1099511627783', '1099511627776'])).toEqual({
      count: 1_099_511_627_783,
      raisedBy: 1_099_511_627_776,
    })
    expect(() => readStored('7')).toThrow(/not an array/)
  })
})
