import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { RatelimitError } from '#ratelimit/errors.ts'
import { readSettings } from '#ratelimit/settings.ts'
import { mogrify, readMogrifiers } from '#ratelimit/statistics/mogrifier.ts'
import { statsdLines } from '#ratelimit/statistics/statsd.ts'
import { refusal } from '../../support/refusal.ts'

interface Case {
  readonly title: string
  readonly keys: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly name: string
  readonly value: number
  /** The lines that the reference sent, or null when it refused to start. */
  readonly line: string | null
}

const { cases } = JSON.parse(readFileSync(new URL('../../vectors/dogstatsd-lines.json', import.meta.url), 'utf8')) as {
  cases: readonly Case[]
}

const settingsOf = ({ keys, env }: Pick<Case, 'keys' | 'env'>) =>
  readSettings({ USE_DOG_STATSD: 'true', USE_DOG_STATSD_MOGRIFIERS: keys.join(','), ...env })

const mistake = (act: () => unknown) => refusal(RatelimitError, act, 'invalid_settings')?.message

const one = (pattern: string, name = 'n') => ({
  keys: ['A'],
  env: { DOG_STATSD_MOGRIFIER_A_PATTERN: pattern, DOG_STATSD_MOGRIFIER_A_NAME: name },
})

describe('statsdLines() with mogrifiers', () => {
  it.each(cases.filter(({ line }) => line !== null).map((one) => [one.title, one] as const))(
    'writes what the reference writes: %s',
    (_, one) => {
      const { mogrifiers } = settingsOf(one)
      const format = { isDogStatsd: true, tags: new Map(), mogrifiers }
      expect(statsdLines([{ name: one.name, delta: one.value }], format)).toBe(`${one.line}\n`)
    },
  )

  it('puts the tags of every line before those that a mogrifier finds, in the order of the settings', () => {
    const { mogrifiers } = settingsOf({
      keys: ['HITS'],
      env: {
        DOG_STATSD_MOGRIFIER_HITS_PATTERN: String.raw`^ratelimit\.service\.rate_limit\.([^.]+)\.(.*)\.([^.]+)$`,
        DOG_STATSD_MOGRIFIER_HITS_NAME: 'ratelimit.service.rate_limit.$3',
        DOG_STATSD_MOGRIFIER_HITS_TAGS: 'domain:$1,descriptor:$2',
      },
    })
    const name = 'ratelimit.service.rate_limit.shop.tenant.plan.over_limit'
    const format = { isDogStatsd: true, tags: new Map([['env', 'test']]), mogrifiers }
    expect(statsdLines([{ name, delta: 2 }], format)).toBe(
      'ratelimit.service.rate_limit.over_limit:2|c|#env:test,domain:shop,descriptor:tenant.plan\n',
    )
  })

  it('lets no group add a tag or a line', () => {
    const { mogrifiers } = settingsOf(one('^(.*)$', 'x.$1'))
    const format = { isDogStatsd: true, tags: new Map(), mogrifiers }
    expect(statsdLines([{ name: 'a\nb|#c,d', delta: 1 }], format)).toMatch(/^[^\n|]+:1\|c\n$/)
  })

  it.each([
    ['a bracket as the first of a class', '^[]a]+$', 'a]a', 'b'],
    ['a bracket as the first that a class leaves out', '^[^]a]+$', 'bc', 'b]'],
    ['a bracket within a class', '^[a[]]$', 'a]', '['],
    ['a class that ends behind a caret', '^[a[^]+$', 'a[^', ']'],
    ['a group within a class', '^[(?=]+$', '=?(', 'a'],
    ['a named class without brackets', '^[:alpha:]$', 'p', 'z'],
    ['a named class', '^[[:alpha:]]$', 'z', ':'],
    ['a named class behind a bracket', '^[][:digit:]]+$', '5]', 'a'],
  ])('reads %s as RE2 does', (_, pattern, found, left) => {
    const { mogrifiers } = settingsOf(one(pattern, 'n'))
    expect([found, left].map((name) => mogrify(name, mogrifiers).name)).toEqual(['n', left])
  })

  it('leaves statsd without tags behind the value', () => {
    const { mogrifiers } = settingsOf(one('^(.*)$', 'x.$1'))
    expect(statsdLines([{ name: 'a', delta: 1 }], { isDogStatsd: false, tags: new Map(), mogrifiers })).toBe('a:1|c\n')
  })
})

describe('readMogrifiers()', () => {
  it.each(cases.filter(({ line }) => line === null).map((one) => [one.title, one] as const))(
    'refuses what the reference refuses, and names the variable: %s',
    (_, one) => {
      expect(mistake(() => settingsOf(one))).toMatch(
        /^Cannot read settings: DOG_STATSD_MOGRIFIER_A_(PATTERN|NAME|TAGS) .*expected/,
      )
    },
  )

  it.each([String.raw`\pL`, String.raw`\Qa\E`, String.raw`\x{41}`, '[[:^alpha:]]', 'a(?!b)', '(?<=a)b'])(
    'refuses %s, which would mean something else here',
    (pattern) => {
      expect(mistake(() => settingsOf(one(pattern)))).toContain('is not supported')
    },
  )

  it('takes the plural of the variables, and names in small letters', () => {
    const read = (name: string) =>
      ({ DOG_STATSD_MOGRIFIERS_HITS_PATTERN: 'x', DOG_STATSD_MOGRIFIERS_HITS_NAME: 'y' })[name]
    expect(mogrify('axb', readMogrifiers(['hits'], read))).toEqual({ name: 'y', tags: [] })
  })

  it('is asked for nothing without USE_DOG_STATSD', () => {
    expect(readSettings({ USE_DOG_STATSD_MOGRIFIERS: 'A' }).mogrifiers).toEqual([])
  })
})
