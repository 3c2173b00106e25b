/** Settings as named texts: defaults, spellings, mistakes in words, mistyped names. */

import { describe, expect, expectTypeOf, it } from 'vitest'
import { VariableError } from '#base/errors.ts'
import {
  bounded,
  choice,
  flag,
  mistypedVariables,
  reader,
  readVariables,
  text,
  tokenVariable,
  unknownVariables,
  variable,
  weakTokens,
} from '#base/variables.ts'
import { refusal } from '../support/refusal.ts'

const table = {
  MODE: variable(choice('open', ['open', 'private'])),
  IS_ON: variable(flag(false), { aliases: ['WAS_ON'] }),
  COUNT: variable(bounded(3, 1, 10)),
  PASSWORD: variable(
    reader('', 'eight characters', (value) => (value.length === 8 ? value : null)),
    { isSecret: true },
  ),
  NOTE: variable(text('none')),
} as const

const mistake = (environment: Readonly<Record<string, unknown>>) =>
  refusal(VariableError, () => readVariables(table, environment))?.message ?? null

describe('readVariables()', () => {
  it('gives the defaults of an empty environment, frozen and typed', () => {
    const values = readVariables(table, {})
    expect(values).toEqual({ MODE: 'open', IS_ON: false, COUNT: 3, PASSWORD: '', NOTE: 'none' })
    expect(Object.isFrozen(values)).toBe(true)
    expectTypeOf(values.MODE).toEqualTypeOf<'open' | 'private'>()
    expectTypeOf(values.COUNT).toEqualTypeOf<number>()
  })

  it('takes text, numbers and truth values, skips bindings, and takes an empty text only where it is a value', () => {
    const environment = { MODE: '', IS_ON: true, COUNT: 7, NOTE: '', PASSWORD: { get: () => null } }
    expect(readVariables(table, environment)).toMatchObject({ MODE: 'open', IS_ON: true, COUNT: 7, NOTE: '' })
  })

  it.each([
    ...['1', 't', 'T', 'true', 'TRUE', 'True', 'on'].map((spelling) => [spelling, true] as const),
    ...['0', 'f', 'F', 'false', 'FALSE', 'False', 'off'].map((spelling) => [spelling, false] as const),
  ])('reads the truth value %s', (spelling, value) => {
    expect(readVariables(table, { IS_ON: spelling }).IS_ON).toBe(value)
    expect(readVariables(table, { WAS_ON: spelling }).IS_ON).toBe(value)
  })

  it.each([
    [{ IS_ON: 'of' }, 'IS_ON is "of", expected 1, t, true, on, 0, f, false or off, perhaps off'],
    [{ WAS_ON: 'yes' }, 'WAS_ON is "yes", expected 1, t, true, on, 0, f, false or off'],
    [{ MODE: 'privat' }, 'MODE is "privat", expected open or private, perhaps private'],
    [{ COUNT: 'abc' }, 'COUNT is "abc", expected a whole number from 1 to 10'],
    [{ COUNT: '11' }, 'COUNT is "11", expected a whole number from 1 to 10'],
    [{ PASSWORD: 'hunter2' }, 'PASSWORD is not readable, expected eight characters'],
    [{ IS_ON: 'on', WAS_ON: 'off' }, 'IS_ON and WAS_ON differ, expected one of them or equal values'],
  ])('says of %j what is wrong and what is right', (environment, message) => {
    expect(mistake(environment)).toBe(`Cannot read settings: ${message}`)
  })
})

describe('unknownVariables()', () => {
  const sets = [
    { tables: [{ GRID_TOKEN: variable(text('')), NEAR_LIMIT_RATIO: variable(text('')) }], family: /^X_\d+$/ },
  ]

  it('names the known name that was probably meant, in another case or with a slip', () => {
    const environment = { grid_token: '', GRID_TOKENS: '', NEAR_LIMT_RATIO: '', NEAR_LIMIT_RATION: '' }
    expect(unknownVariables(environment, sets)).toEqual([
      { name: 'grid_token', near: 'GRID_TOKEN' },
      { name: 'GRID_TOKENS', near: 'GRID_TOKEN' },
      { name: 'NEAR_LIMT_RATIO', near: 'NEAR_LIMIT_RATIO' },
      { name: 'NEAR_LIMIT_RATION', near: 'NEAR_LIMIT_RATIO' },
    ])
    expect(mistypedVariables(environment, sets)[0]).toBe(
      'Cannot read settings: grid_token is not a setting, perhaps GRID_TOKEN',
    )
  })

  it('is silent about known names, families, bindings, and takes nothing of other programs for a slip', () => {
    const environment = { GRID_TOKEN: '', X_12: '', COUNTER: {}, PATH: '', GRID_PORT: 'tcp://10.0.0.1:80', HOME: '' }
    expect(mistypedVariables(environment, sets)).toEqual([])
    expect(unknownVariables(environment, sets).map(({ name }) => name)).toEqual(['PATH', 'GRID_PORT', 'HOME'])
  })
})

describe('weakTokens()', () => {
  const sets = [{ tables: [{ A_TOKEN: tokenVariable(), PASSWORD: variable(text(''), { isSecret: true }) }] }]
  const weak = (A_TOKEN: unknown) => weakTokens({ A_TOKEN, PASSWORD: 'x' }, sets)

  it('names a token that is short or has spaces, and shows nothing of it', () => {
    for (const token of ['x', '123456789012345', 'sixteen or more characters']) {
      expect(weak(token)).toEqual([
        'A_TOKEN can be guessed: it is short or has spaces, expected 16 or more characters without spaces, as sluice token --new prints',
      ])
    }
  })

  it('is silent about 16 characters, an absent or empty token, and secrets that are not tokens', () => {
    expect(['1234567890123456', undefined, '', {}].flatMap(weak)).toEqual([])
  })
})
