/** One configuration file as blocks, and the order in which its mistakes are reported. */

import { describe, expect, it } from 'vitest'
import * as grammar from '#ratelimit/config/grammar.ts'
import { readDocument } from '../../support/read-yaml.ts'

const messagesOf = (text: string) => readDocument(text).mistakes?.map(({ message }) => message) ?? []

const empty = {
  value: '',
  pattern: null,
  rateLimit: null,
  descriptors: [],
  shadowMode: false,
  quotaMode: false,
  detailedMetric: false,
  valueToMetric: false,
  shareThreshold: false,
  metadata: null,
}

describe('readDocument()', () => {
  it('reads every field of a descriptor, with the lines of its blocks', () => {
    const text = [
      '# rules',
      'domain: shop',
      'descriptors:',
      '  - key: path',
      '    value: /a*',
      '    share_threshold: true',
      '    value_to_metric: true',
      '    detailed_metric: true',
      '    shadow_mode: true',
      '    quota_mode: true',
      '    metadata: {owner: ann}',
      '    rate_limit:',
      '      requests_per_unit: 5',
      '      name: five',
      '      replaces: [{name: ten}, {name: six}]',
      '      unit: day',
      '    descriptors:',
      '      - key: user',
      '        rate_limit: {unlimited: true}',
    ].join('\n')
    expect(readDocument(text)).toEqual({
      document: {
        domain: 'shop',
        domainLine: 2,
        descriptors: [
          {
            line: 4,
            key: 'path',
            value: '/a*',
            pattern: null,
            rateLimit: {
              line: 13,
              unitLine: 16,
              unit: 'day',
              requestsPerUnit: 5,
              unlimited: false,
              name: 'five',
              replaces: ['ten', 'six'],
              sluice: null,
            },
            descriptors: [
              {
                ...empty,
                line: 18,
                key: 'user',
                rateLimit: {
                  line: 19,
                  unitLine: 19,
                  unit: '',
                  requestsPerUnit: 0,
                  unlimited: true,
                  name: '',
                  replaces: [],
                  sluice: null,
                },
              },
            ],
            shadowMode: true,
            quotaMode: true,
            detailedMetric: true,
            valueToMetric: true,
            shareThreshold: true,
            metadata: { owner: 'ann' },
          },
        ],
      },
    })
  })

  it.each(['', '# only a comment', '~'])('of %j is a document without a domain', (text) => {
    expect(readDocument(text)).toEqual({ document: { domain: '', domainLine: 1, descriptors: [] } })
  })

  it.each([
    ['shadow_mode', 'shadowMode'],
    ['quota_mode', 'quotaMode'],
    ['detailed_metric', 'detailedMetric'],
    ['value_to_metric', 'valueToMetric'],
    ['share_threshold', 'shareThreshold'],
  ])('reads %s as %s and as no other flag', (name, flag) => {
    const { document } = readDocument(`domain: d\ndescriptors:\n  - {key: k, ${name}: true}`)
    expect(document?.descriptors).toEqual([{ ...empty, line: 3, key: 'k', [flag]: true }])
  })

  it('reads empty metadata and an empty list as absent', () => {
    const { document } = readDocument('domain: d\ndescriptors:\n  - {key: k, metadata: {}, descriptors: []}')
    expect(document?.descriptors).toEqual([{ ...empty, line: 3, key: 'k' }])
  })

  it.each([
    ['[a]', '!!seq'],
    ['text', '!!str `text`'],
  ])('of %j says what a file begins with', (text, type) => {
    expect(readDocument(text)).toEqual({
      mistakes: [
        {
          path: '',
          line: 1,
          message: `error loading config file: yaml: line 1: cannot unmarshal ${type} into a map`,
          hint: 'a file begins with "domain: NAME"',
        },
      ],
    })
  })

  it('of what is not YAML has one mistake and no document', () => {
    const result = readDocument('domain: {')
    expect(result.document).toBeUndefined()
    expect(result.mistakes).toHaveLength(1)
  })

  it('reports all names before any type, wherever they are', () => {
    const text = 'domain: {}\ndescriptors:\n  - key: k\n    shadow: yes\n    quota_mode: 5\n'
    expect(messagesOf(text)).toEqual([
      expect.stringContaining("unknown key 'shadow'"),
      expect.stringContaining('line 1: cannot unmarshal !!map into a string'),
      expect.stringContaining('line 5: cannot unmarshal !!int `5` into a boolean'),
    ])
  })

  it('reads a mistyped key as the known one that was probably meant, so that what is below is checked too', () => {
    const text = 'domain: d\ndescriptors:\n  - key: k\n    rate_limits: {requests_per_unit: -1}\n'
    expect(messagesOf(text)).toEqual([
      expect.stringContaining("unknown key 'rate_limits'"),
      expect.stringContaining('cannot unmarshal !!int `-1` into a whole number'),
    ])
  })

  it('keeps what could be read beside the mistakes', () => {
    const { document, mistakes } = readDocument('domain: d\ndescriptors:\n  - {key: k, shadow_mode: 5}\n')
    expect(mistakes).toHaveLength(1)
    expect([document?.domain, document?.descriptors]).toEqual(['d', [{ ...empty, line: 3, key: 'k' }]])
  })
})

describe('readDocument() of a file with more mistakes than are looked for', () => {
  it.each([
    ['unknown keys', '- {nothing: 1}\n'],
    ['items that are not maps', '- 1\n'],
    ['values of another type', '- {key: k, shadow_mode: 5}\n'],
  ])('lists 2,000 %s and what it did not check', (_, line) => {
    const { mistakes = [] } = readDocument(`domain: d\ndescriptors:\n${line.repeat(5_000)}`)
    expect(mistakes).toHaveLength(2_001)
    expect(mistakes.at(-1)).toMatchObject({
      message: 'the file has more than 2000 mistakes: what follows was not checked',
      hint: 'mend these first',
    })
  })

  it('yields while it reads, however many mistakes there are', () => {
    const slicesOf = (lines: number) =>
      [...grammar.readDocument(`domain: d\ndescriptors:\n${'  - {a: 1}\n'.repeat(lines)}`)].length
    expect(slicesOf(8_000)).toBeGreaterThan(5)
    expect(slicesOf(8_000) - slicesOf(4_000)).toBeGreaterThan(2)
  })
})
