import { describe, expect, test } from 'vitest'
import { boundMistakes } from '#ratelimit/config/mistake-bounds.ts'

const mistake = { file: 'a.yaml', path: 'domain', line: 1, message: 'is wrong' }

describe('boundMistakes()', () => {
  test('keeps a list that has room as it is, without a count', () => {
    const mistakes = [mistake, { ...mistake, hint: 'say "domain"' }]
    expect(boundMistakes(mistakes)).toEqual({ mistakes })
  })

  test('truncates a text that repeats the file, and keeps the mistake', () => {
    const long = 'x'.repeat(1_000_000)
    const { mistakes } = boundMistakes([{ ...mistake, message: long, path: long, hint: long }])
    const text = `${'x'.repeat(2_000)}…`
    expect(mistakes).toEqual([{ ...mistake, message: text, path: text, hint: text }])
  })

  test('keeps the first of very many, and counts the others', () => {
    const { mistakes, leftOut = 0 } = boundMistakes(Array.from({ length: 50_000 }, () => mistake))
    expect(mistakes.length).toBeGreaterThan(3_000)
    expect(mistakes.length + leftOut).toBe(50_000)
    expect(JSON.stringify(mistakes).length).toBeLessThanOrEqual(300_001)
  })
})
