/** The JSON Schemas of a decision: every message once, references that lead somewhere, and names of proto3 JSON. */

import { describe, expect, it } from 'vitest'
import { decisionSchemas } from '#proto-json/json-schema.ts'

const schemas = decisionSchemas((name) => `#/${name}`)

/** Every `$ref` below a value. */
function refsOf(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  const own = '$ref' in value ? [String(value.$ref)] : []
  return [...own, ...Object.values(value).flatMap(refsOf)]
}

describe('decisionSchemas()', () => {
  it('has every message that it refers to, and refers to every message but the two of a decision', () => {
    const names = Object.keys(schemas)
    const targets = new Set(refsOf(schemas))
    expect(names).toContain('RateLimitRequest')
    expect(names).toContain('RateLimitResponse')
    const others = names.filter((name) => name !== 'RateLimitRequest' && name !== 'RateLimitResponse')
    expect([...targets].sort()).toEqual(others.map((name) => `#/${name}`).sort())
  })

  it('names fields as proto3 JSON does, with lists, bounds and enumerations', () => {
    expect(schemas.RateLimitRequest).toMatchObject({
      type: 'object',
      properties: {
        domain: { type: 'string' },
        descriptors: { type: 'array', items: { $ref: expect.stringMatching(/^#\/.*RateLimitDescriptor$/) } },
        hitsAddend: { type: 'integer', minimum: 0, maximum: 4_294_967_295 },
      },
    })
    expect(schemas.RateLimitResponse).toMatchObject({
      properties: { overallCode: { type: 'string', enum: ['UNKNOWN', 'OK', 'OVER_LIMIT'] } },
    })
  })

  it('writes messages with a form in JSON in that form', () => {
    const text = JSON.stringify(schemas)
    expect(text).not.toContain('google.protobuf')
    expect(text).toContain('"additionalProperties":true')
    expect(text).toContain('"pattern":"^-?\\\\d+(\\\\.\\\\d+)?s$"')
  })
})
