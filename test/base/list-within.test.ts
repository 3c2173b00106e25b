import { describe, expect, test } from 'vitest'
import { listWithin } from '#base/list-within.ts'

describe('listWithin()', () => {
  test.each([
    [6, []],
    [7, ['four']],
    [13, ['four']],
    [14, ['four', 'five']],
    [100, ['four', 'five', 'seventh']],
  ])('%i characters hold %j', (mostCharacters, kept) => {
    expect(listWithin(['four', 'five', 'seventh'], mostCharacters)).toEqual(kept)
  })

  test('looks at nothing behind the first item without room', () => {
    let made = 0
    const items = function* () {
      for (;;) yield `item ${++made}`
    }
    expect(listWithin(items(), 30)).toEqual(['item 1', 'item 2', 'item 3'])
    expect(made).toBe(4)
  })
})
