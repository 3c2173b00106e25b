/** Readers of settings: every form at its edges, and the text that each expects. */

import { describe, expect, it, test } from 'vitest'
import type { Reader } from '#base/variables.ts'
import {
  backend,
  callerTokens,
  duration,
  failurePolicy,
  headerName,
  leases,
  leeway,
  names,
  pairs,
  path,
  port,
  positive,
  ratio,
  wait,
  whole,
} from '#ratelimit/setting-readers.ts'

/** A reader, its name, and texts with what each becomes; null is refused. */
const cases: readonly (readonly [name: string, reader: Reader<unknown>, texts: Record<string, unknown>])[] = [
  ['duration', duration(7), { '0s': 0, '10s': 10_000, '150us': 0.15, '1h30m': 5_400_000, '-1s': null, '10': null }],
  ['wait', wait(7), { '0s': null, '1ms': 1, '-1s': null, soon: null }],
  [
    'whole',
    whole(7),
    {
      0: 0,
      '+5': 5,
      9007199254740991: 2 ** 53 - 1,
      9007199254740992: null,
      '-1': null,
      '1.5': null,
      '0x10': null,
      '1_000': null,
      // The reference makes 15 of the first and refuses the second.
      '017': null,
      '08': null,
      '+00': null,
    },
  ],
  ['whole with a bound', whole(7, 1_000), { 0: 0, 1000: 1_000, 1001: null, 9007199254740991: null }],
  ['positive', positive(7), { 0: null, '01': null, 1: 1, 2147483647: 2 ** 31 - 1, 2147483648: null }],
  ['port', port(7), { 0: 0, '08080': null, 65535: 65_535, 65536: null, http: null }],
  [
    'ratio',
    ratio(7),
    { 0: 0, 1: 1, '.5': 0.5, '1.': 1, '8e-1': 0.8, '-0.1': null, '1.01': null, '0x1': null, NaN: null, '': null },
  ],
  [
    'path',
    path('/p'),
    { '/metrics': '/metrics', '/a/b': '/a/b', '/': null, metrics: null, '/a?b': null, '/a b': null, '/a#b': null },
  ],
  [
    'headerName',
    headerName('H'),
    { 'X-Limit': 'X-Limit', "!#$%&'*+-.^_`|~": "!#$%&'*+-.^_`|~", 'a b': null, 'a:b': null, grün: null },
  ],
  ['leeway', leeway, { allow: 'allow', IGNORE: 'ignore', refuse: 'refuse', deny: null }],
  ['backend', backend, { 'durable-object': 'durable-object', Redis: 'redis', memcache: 'memcache', memcached: null }],
  ['names', names, { 'a,b_1': ['a', 'b_1'], ' a , b ': ['a', 'b'], 'a,': null, 'a-b': null }],
  [
    'pairs',
    pairs('tags', ':'),
    {
      'a:b,c:d': new Map([
        ['a', 'b'],
        ['c', 'd'],
      ]),
      'a:b:c': new Map([['a', 'b:c']]),
      ' a : b ': new Map([['a', 'b']]),
      'a:': new Map([['a', '']]),
      a: null,
      ':b': null,
    },
  ],
  ['failurePolicy', failurePolicy, { open: new Map([['', 'open']]), shop: null }],
  ['leases', leases, { on: new Map([['', true]]), 'shop=on': new Map([['shop', true]]), yes: null }],
  ['callerTokens', callerTokens, { '': null, 'a=short': null }],
]

describe.each(cases)('%s', (_name, { parse }, texts) => {
  it.each(Object.entries(texts))('reads %j as %j', (text, value) => {
    expect(parse(text)).toEqual(value)
  })
})

test.each(cases)('%s states what it expects', (_name, { expected }) => {
  expect(expected).not.toBe('')
})

test.each([
  ['duration', duration(7), 7],
  ['wait', wait(7), 7],
  ['whole', whole(7), 7],
  ['port', port(7), 7],
  ['ratio', ratio(0.8), 0.8],
  ['path', path('/p'), '/p'],
  ['headerName', headerName('H'), 'H'],
  ['leeway', leeway, 'allow'],
  ['backend', backend, 'durable-object'],
  ['names', names, []],
  ['pairs', pairs('tags', ':'), new Map()],
  ['failurePolicy', failurePolicy, new Map()],
  ['leases', leases, new Map()],
  ['callerTokens', callerTokens, new Map()],
])('%s falls back to its default', (_name, reader, fallback) => {
  expect(reader.fallback).toEqual(fallback)
})

test('callerTokens refuses an empty text where the others take it for absent', () => {
  expect(callerTokens.keepsEmpty).toBe(true)
  for (const [name, { keepsEmpty }] of cases) if (name !== 'callerTokens') expect(keepsEmpty).toBe(false)
})
