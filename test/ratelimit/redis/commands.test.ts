/** The commands of a hit, and what the replies to them mean. */

import { describe, expect, it } from 'vitest'
import { hitCommands, peekCommands, readHits } from '#ratelimit/redis/commands.ts'

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
