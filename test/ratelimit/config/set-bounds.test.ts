/** Bounds on the size of a configuration. */

import { describe, expect, it } from 'vitest'
import { mostSetBytes, tooManyBytes } from '#ratelimit/config/set-bounds.ts'

const megabytes = (key: string, count: number) => ({ key, text: 'x'.repeat(count * 1_000_000 - key.length) })

describe('tooManyBytes()', () => {
  const full = [megabytes('a', 10), megabytes('b', 14)]

  it('takes exactly the bound, and names the file that passes it', () => {
    expect(tooManyBytes(full)).toBeNull()
    expect(tooManyBytes([...full, { key: 'c', text: '' }])).toMatchObject({
      file: 'c',
      message: `the configuration has more than ${mostSetBytes} bytes`,
    })
  })

  it('counts bytes of UTF-8, not characters', () => {
    expect(tooManyBytes([{ key: 'a', text: '日'.repeat(8_000_000) }])).toMatchObject({ file: 'a' })
  })
})
