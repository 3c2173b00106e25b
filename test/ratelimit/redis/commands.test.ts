import { describe, expect, it } from 'vitest'
import {
  hitCommands,
  lowerCommands,
  peekCommands,
  raiseCommands,
  readCommands,
  readHits,
  readStored,
  removeCommands,
} from '#ratelimit/redis/commands.ts'

const hit = { key: 'domain_key_value_', unit: 'MINUTE', addend: 3 } as const

describe('hitCommands()', () => {
  it('increments and prolongs the key with its window, jitter included', () => {
    expect(hitCommands(hit, 1234, 0)).toEqual({
      key: 'domain_key_value_1200',
      commands: [
        ['INCRBY', 'domain_key_value_1200', '3'],
        ['EXPIRE', 'domain_key_value_1200', '60'],
      ],
    })
    expect(hitCommands(hit, 1234, 17).commands[1]).toEqual(['EXPIRE', 'domain_key_value_1200', '77'])
  })

  it('sends both commands for an addend of 0, as the reference does', () => {
    expect(hitCommands({ ...hit, addend: 0 }, 1234, 0).commands).toHaveLength(2)
  })

  it('gives back in one script', () => {
    const { commands } = hitCommands({ ...hit, isRefund: true }, 1234, 0)
    expect(commands).toHaveLength(1)
    expect(commands[0]?.[0]).toBe('EVAL')
  })
})

describe('peekCommands()', () => {
  it('reads the counter, and writes nothing', () => {
    expect(peekCommands(hit, 1234).commands).toEqual([['GET', 'domain_key_value_1200']])
  })
})

describe('readHits()', () => {
  it.each([
    [7, 7],
    ['7', 7],
    [null, 0],
    ['9223372036854775807', Number.MAX_SAFE_INTEGER],
  ])('reads %j', (reply, after) => {
    expect(readHits(reply, hit, 1234)).toEqual({ after, secondsUntilReset: 26 })
  })

  it.each([undefined, 'abc', '1.5'])('refuses %j', (reply) => {
    expect(() => readHits(reply, hit, 1234)).toThrow(/not an integer/)
  })
})

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
