/** Bodies read by their shape: the value, or one error with the code of the caller and every mistake. */

import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { readBody } from '#grid/interface/read-body.ts'

const schema = z.strictObject({ speed: z.number(), name: z.string() })

describe('readBody()', () => {
  it('gives what fits', () => {
    const body = { speed: 2, name: 'lab' }
    expect(readBody(schema, body, 'invalid_request', 'set the speed')).toEqual(body)
  })

  it.each(['invalid_request', 'invalid_configuration'] as const)('lists every mistake under %s', (code) => {
    const read = () => readBody(schema, { speed: 'fast', nam: 'lab' }, code, 'set the speed')
    expect(read).toThrow(
      expect.objectContaining({
        code,
        message: expect.stringMatching(/^Cannot set the speed: .*speed.*nam/),
      }),
    )
  })
})
