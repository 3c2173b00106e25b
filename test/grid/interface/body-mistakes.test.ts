/** Mistakes of bodies in plain words: every kind of shape with the place, the value found and the value expected. */

import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { listMistakes, readBody } from '#grid/interface/body-mistakes.ts'

const shape = z.strictObject({
  speed: z.number().min(0.1).max(60).optional(),
  seed: z.int().min(0).optional(),
  name: z.string().min(1).max(8).optional(),
  kind: z.enum(['sun', 'rain']).default('sun'),
  start: z.int().nullable().optional(),
  list: z
    .array(z.object({ id: z.string() }))
    .max(2)
    .optional(),
  flags: z.record(z.string(), z.boolean()).optional(),
})

function mistakes(body: unknown): string {
  const parsed = shape.safeParse(body)
  return parsed.success ? '' : listMistakes(shape, body, parsed.error)
}

describe('listMistakes()', () => {
  it.each([
    [undefined, 'the body is missing, expected a JSON object with speed, seed, name, kind, start, list, flags'],
    [[1, 2], 'the body is a list of 2, expected a JSON object with speed, seed, name, kind, start, list, flags'],
    [{ speed: '3' }, 'speed is "3", expected a number from 0.1 to 60'],
    [{ speed: Number.POSITIVE_INFINITY }, 'speed is Infinity, expected a number from 0.1 to 60'],
    [{ seed: 1.5 }, 'seed is 1.5, expected an integer of at least 0'],
    [{ name: '' }, 'name is "", expected a text of 1 to 8 characters'],
    [{ name: {} }, 'name is an object, expected a text of 1 to 8 characters'],
    [{ kind: 'snow' }, 'kind is "snow", expected one of sun, rain'],
    [{ start: true }, 'start is true, expected an integer or null'],
    [{ list: [{}, {}, {}] }, /list is a list of 3, expected a list of at most 2 items/],
    [{ list: [{ id: 'a' }, {}] }, 'list[1].id is missing, expected a text'],
    [{ flags: { on: 1 } }, 'flags.on is 1, expected true or false'],
    [{ sped: 1 }, 'unknown property "sped", did you mean "speed"?'],
    [{ zzz: 1 }, 'unknown property "zzz", expected speed, seed, name, kind, start, list, flags'],
  ] as const)('names the place, the value and what is right in %j', (body, expected) => {
    if (typeof expected === 'string') expect(mistakes(body)).toBe(expected)
    else expect(mistakes(body)).toMatch(expected)
  })

  it('stays short for any body', () => {
    const wide = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`${index}`.padEnd(500), 1]))
    expect(mistakes(wide).length).toBeLessThan(2000)
    expect(mistakes({ name: 'x'.repeat(100_000) }).length).toBeLessThan(200)
  })
})

const schema = z.strictObject({ speed: z.number(), name: z.string() })

describe('readBody()', () => {
  it('gives what fits', () => {
    const body = { speed: 2, name: 'lab' }
    expect(readBody(schema, body, { code: 'invalid_request', action: 'set the speed' })).toEqual(body)
  })

  it.each(['invalid_request', 'invalid_configuration'] as const)('lists every mistake under %s', (code) => {
    const read = () => readBody(schema, { speed: 'fast', nam: 'lab' }, { code, action: 'set the speed' })
    expect(read).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(/^Cannot set the speed: .*speed.*nam/) }),
    )
  })
})
