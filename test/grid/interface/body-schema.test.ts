/** Shapes of bodies as JSON Schema. */

import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { toBodySchema } from '#grid/interface/body-schema.ts'

describe('toBodySchema()', () => {
  it('requires no field that has a default, and no other names', () => {
    expect(toBodySchema(z.strictObject({ steps: z.int().min(1).max(600).default(1) }))).toEqual({
      type: 'object',
      properties: { steps: { type: 'integer', minimum: 1, maximum: 600, default: 1 } },
      additionalProperties: false,
    })
  })
})
