import { describe, expect, it } from 'vitest'
import { handOverSettings, readHandedSettings } from '#ratelimit/front/handed-settings.ts'
import { readHits, writeHits } from '#ratelimit/front/hits.ts'
import {
  messageBounds,
  packItems,
  type Question,
  readQuestions,
  readReplies,
  writeMessage,
  writeQuestion,
  writeReply,
} from '#ratelimit/front/messages.ts'

const report = {
  counts: [{ second: 1, domain: 'd', rule: 'd.k', admitted: 1, refused: 0, shadow: 0 }],
  used: [{ key: 'd_k_v_', label: { domain: 'd', rule: 'd.k', entries: [] }, count: 1, error: 0 }],
  refused: [],
  fills: [],
  samples: [
    {
      at: 1,
      weight: 1,
      code: 'OK',
      request: {
        domain: 'd',
        descriptors: [{ entries: [{ key: 'k', value: 'v' }], hitsAddend: 2n ** 63n }],
        hitsAddend: 0,
      },
      outcomes: [{ rule: 'd.k', outcome: 'admitted' }],
    },
  ],
} as const

const questions: readonly Question[] = [
  { kind: 'hit', number: 1, hits: [{ key: 'é_', unit: 'DAY', addend: 2 ** 53 - 1, limit: 10 }] },
  { kind: 'look', number: 2, hits: [{ key: 'k', unit: 'SECOND', addend: 0, isRefund: true }] },
  { kind: 'draw', number: 3, call: { object: 'shard:1/2', id: 4, holder: 5, draws: [['k', 3, 1, 10, 2, 0, [7, 1]]] } },
  { kind: 'stats', number: 4, sender: 's', batch: 1, deltas: [{ name: 'n', delta: 3 }] },
  { kind: 'usage', number: 5, report },
  { kind: 'rules', number: 6, revision: 0, listVersion: 3 },
  { kind: 'hit', number: 7, hits: [{ key: 'k', unit: 'DAY', addend: 3, step: { action: 'reserve', id: 'a b' } }] },
  { kind: 'hit', number: 8, hits: [{ key: 'k', unit: 'DAY', addend: 0, step: { action: 'settle', id: 'é' } }] },
  {
    kind: 'hit',
    number: 9,
    hits: [{ key: 'k', unit: 'DAY', addend: 1, joint: { rest: 1, mayRefuse: true, isTogether: true } }],
  },
]

describe('writeQuestion()', () => {
  it('refuses a question that no message has room for: the service would end the connection of all', () => {
    const hit = { key: '\u0001'.repeat(messageBounds.characters / 6), unit: 'DAY', addend: 1 } as const
    expect(() => writeQuestion({ kind: 'hit', number: 1, hits: [hit] })).toThrow(
      expect.objectContaining({ code: 'request_too_large' }),
    )
  })
})

describe('readQuestions()', () => {
  it('reads what writeQuestion() wrote, addends of 64 bits included', () => {
    const text = writeMessage(7, questions.map(writeQuestion))
    expect(readQuestions(text, 7)).toEqual(questions)
  })

  it.each([
    ['a message that is cut in half', '[1,["hit",1,[["k",', 'it is not JSON'],
    ['a message that came before', '[1,["rules",1,0]]', 'its number is 1, expected 2'],
    ['a message that came too early', '[3,["rules",1,0]]', 'its number is 3, expected 2'],
    ['something else than a list', '{}', 'it is not a list'],
    ['an unknown question', '[2,["drop",1]]', 'it has no question "drop" of this form'],
    ['a question without a number', '[2,["rules","1",0]]', 'a question has no number'],
    ['a joint hit that is none', '[2,["hit",1,[["k",3,1,9,0,"","",-1]]]]', 'a joint hit is not of this form'],
    ['a unit that does not exist', '[2,["hit",1,[["k",9,1,null,0]]]]', 'a hit is not of this form'],
    ['an addend below 0', '[2,["hit",1,[["k",1,-1,null,0]]]]', 'a hit is not of this form'],
    ['an addend that is not whole', '[2,["hit",1,[["k",1,0.5,null,0]]]]', 'a hit is not of this form'],
    ['another step', '[2,["hit",1,[["k",1,1,null,0,"keep","a"]]]]', 'a reservation is not of this form'],
    ['a step without an id', '[2,["hit",1,[["k",1,1,null,0,"settle"]]]]', 'a reservation is not of this form'],
    [
      'a draw of all that is left',
      '[2,["draw",1,"o",1,1,[["k",1,1,9,1,1,[]]]]]',
      'a question of a draw is not of this form',
    ],
    [
      'a return without its hits',
      '[2,["draw",1,"o",1,1,[["k",1,1,9,1,0,[3]]]]]',
      'a question of a draw is not of this form',
    ],
    ['a report that is none', '[2,["usage",1,{"counts":1}]]', 'counts of a report are not of this form'],
    ['a statistic without a number', '[2,["stats",1,"s",1,[["n","1"]]]]', 'a statistic is not of this form'],
  ])('refuses %s', (_, text, state) => {
    expect(() => readQuestions(text, 2)).toThrow(`Cannot read message of the front connection: ${state}`)
  })

  it('refuses a message beyond a bound, before it is read', () => {
    const many = writeMessage(1, new Array(messageBounds.items + 1).fill('["rules",1,0]'))
    expect(() => readQuestions(many, 1)).toThrow('it has 1025 items')
    expect(() => readQuestions(' '.repeat(messageBounds.characters + 1), 1)).toThrow('characters')
  })
})

describe('readReplies()', () => {
  it('reads what writeReply() wrote', () => {
    const replies = [
      { kind: 'ready', settings: { LEASES: 'on' } },
      { kind: 'part', number: 1, text: '[1' },
      { kind: 'ok', number: 1, value: null },
      { kind: 'failed', number: 2, reason: 'away' },
    ] as const
    expect(readReplies(writeMessage(1, replies.map(writeReply)), 1)).toEqual(replies)
    expect(() => readReplies('[1,["ok","1",2]]', 1)).toThrow('an answer has no number')
  })
})

describe('readHits()', () => {
  it('reads what writeHits() wrote, and refuses another number of counters', () => {
    const hits = [
      { after: 1, secondsUntilReset: 2 },
      { after: 3, secondsUntilReset: 4, isProvisional: true },
      { after: 0, secondsUntilReset: 1, unread: 'away' },
      { after: 5, secondsUntilReset: 1, fault: 'ended' },
    ] as const
    const value: unknown = JSON.parse(JSON.stringify(writeHits(hits)))
    expect(readHits(value, 4)).toEqual(hits)
    expect(() => readHits(value, 2)).toThrow('an answer has 4 counters, expected 2')
    expect(() => readHits([[-1, 1]], 1)).toThrow('a counter is not of this form')
  })
})

describe('packItems()', () => {
  it('divides items by length and by number, and keeps their order', () => {
    const items = Array.from({ length: 3_000 }, (_, at) => `${at}`.padEnd(at === 5 ? 600_000 : 10))
    const messages = packItems(items)
    expect(messages.flat()).toEqual(items)
    expect(messages.every((message) => message.length <= messageBounds.items)).toBe(true)
    expect(messages.every((message) => message.length === 1 || message.join('').length <= 524_288)).toBe(true)
  })
})

describe('handOverSettings()', () => {
  it('hands over what decisions depend on under every spelling, and no secret of a store', () => {
    const environment = {
      LocalCacheSizeInBytes: '1000',
      LEASES: 'shop=on',
      REDIS_AUTH: 'secret',
      ADMIN_TOKEN: 'x',
      COUNTER: {},
    }
    const texts = handOverSettings(environment)
    expect(texts).toEqual({ LocalCacheSizeInBytes: '1000', LEASES: 'shop=on' })
    const settings = readHandedSettings({ ...texts, REDIS_AUTH: 'ignored', BACKEND_TYPE: 'memcache' })
    expect(settings).toMatchObject({ LOCAL_CACHE_SIZE_IN_BYTES: 1000, BACKEND_TYPE: 'memcache', REDIS_AUTH: '' })
    expect(settings.leases?.get('shop')).toBe(true)
  })
})
