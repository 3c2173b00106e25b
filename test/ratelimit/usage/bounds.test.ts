import { describe, expect, it } from 'vitest'
import { cutText } from '#ratelimit/usage/bounds.ts'

describe('cutText()', () => {
  it('leaves a text within the bound as it is', () => {
    for (const text of ['', 'a', 'x'.repeat(256)]) expect(cutText(text, 256)).toBe(text)
  })

  it('truncates a longer one to the bound, and distinguishes two with one beginning', () => {
    const [one, other] = ['a', 'b'].map((end) => cutText(`${'x'.repeat(9_000)}${end}`, 256))
    expect(one).toMatch(/^x{246}…#[0-9a-f]{8}$/)
    expect(one).toHaveLength(256)
    expect(other).toHaveLength(256)
    expect(other).not.toBe(one)
  })

  it('leaves no half of a character', () => {
    for (const text of ['\u{1f600}'.repeat(200), `a${'\u{1f600}'.repeat(200)}`]) {
      expect(cutText(text, 256)).not.toMatch(/\p{Surrogate}/u)
    }
  })
})
