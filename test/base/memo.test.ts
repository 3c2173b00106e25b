import { describe, expect, it } from 'vitest'
import { memo, memoBounded, memoNewest } from '#base/memo.ts'

describe('memo()', () => {
  it('makes the value of an object once, and of another one again', () => {
    let made = 0
    const sized = memo(({ length }: readonly number[]) => ({ length, made: ++made }))
    const [first, second] = [
      [1, 2],
      [1, 2],
    ]
    expect([sized(first), sized(first), sized(second)]).toEqual([
      { length: 2, made: 1 },
      { length: 2, made: 1 },
      { length: 2, made: 2 },
    ])
  })

  it('remembers nothing of a call that throws', () => {
    let isBroken = true
    const read = memo((key: object) => {
      if (isBroken) throw new Error('broken')
      return { key }
    })
    const key = {}
    expect(() => read(key)).toThrow('broken')
    isBroken = false
    expect(read(key)).toEqual({ key })
  })
})

describe('memoNewest()', () => {
  const scale = (key: readonly number[], by: number) => key.map((each) => each * by)

  it('makes the value again for another rest, and keeps the newest only', () => {
    const scaled = memoNewest(scale)
    const key = [1, 2]
    const twice = scaled(key, 2)
    expect(scaled(key, 2)).toBe(twice)
    expect(scaled(key, 3)).toEqual([3, 6])
    expect(scaled(key, 2)).not.toBe(twice)
  })

  it('compares the rest by the test that it gets', () => {
    const scaled = memoNewest(scale, (before, now) => Math.abs(before) === Math.abs(now))
    const key = [1, 2]
    expect(scaled(key, -2)).toBe(scaled(key, 2))
    expect(scaled(key, 3)).toEqual([3, 6])
  })
})

describe('memoBounded()', () => {
  it('keeps as many results as its bound, and then starts over', () => {
    let made = 0
    const upper = memoBounded(2, (text: string) => ({ text: text.toUpperCase(), made: ++made }))
    for (const text of ['a', 'b', 'a', 'b']) upper(text)
    expect(made).toBe(2)
    upper('c')
    upper('c')
    expect(made).toBe(3)
    upper('a')
    expect(made).toBe(4)
  })
})
