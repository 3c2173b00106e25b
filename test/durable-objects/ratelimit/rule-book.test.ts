/** RuleBookObject: versions, refusals that change nothing, and the way back. */

import { abortAllDurableObjects } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import type { Outcome, RuleBookObject } from '#objects/ratelimit/rule-book.ts'
import { compileFiles, type ParsedFile, parseFiles } from '#ratelimit/config/compile.ts'
import { listLimits } from '#ratelimit/config/dump.ts'
import { mostDescriptors, mostSetBytes } from '#ratelimit/config/set-bounds.ts'
import { listBounds } from '#ratelimit/lists/read-listings.ts'

// The pool gives the bindings of wrangler.toml, which are these.
const { RULE_BOOK } = env as unknown as RatelimitEnv

let made = 0
/** Names a new rule book and gives a fresh stub of it at each call, because a stub does not survive its object. */
function newRuleBook(): () => DurableObjectStub<RuleBookObject> {
  made += 1
  const name = `rule book test ${made}`
  return () => RULE_BOOK.getByName(name)
}

function file(key: string, domain: string, requests: number) {
  const text = `domain: ${domain}\ndescriptors:\n  - key: k\n    rate_limit: {unit: day, requests_per_unit: ${requests}}\n`
  return { key, text }
}

const shop = file('config.shop.yaml', 'shop', 5)
const bank = file('config.bank.yaml', 'bank', 7)
const broken = { key: 'config.broken.yaml', text: 'descriptors: []\n' }

function accepted(outcome: Outcome | null): Extract<Outcome, { isAccepted: true }> {
  if (outcome === null || !outcome.isAccepted) throw new Error(`not accepted: ${JSON.stringify(outcome)}`)
  return outcome
}

describe('RuleBookObject, with thousands of files', () => {
  /** Keys as long as they may be: what changes and what is wrong is longer than a row of the disk. */
  const files = (text: (at: number) => string) =>
    Array.from({ length: 4_500 }, (_, at) => ({ key: `${'k'.repeat(500)}${at}.yaml`, text: text(at) }))

  it('accepts them, lists the first changes and the number of others, and keeps them on disk', async () => {
    const book = newRuleBook()
    const { changes } = accepted(
      await book().putAll(
        files((at) => `domain: d${at}\n`),
        'ann',
      ),
    )
    expect(changes.files.added.length).toBeGreaterThan(10)
    expect(changes.files.added.length + changes.rules.length + (changes.leftOut ?? 0)).toBe(9_000)
    await abortAllDurableObjects()
    const { revisions } = await book().status()
    expect(revisions).toMatchObject([{ revision: 1, changes: { leftOut: changes.leftOut } }])
    expect((await book().snapshot())?.files).toHaveLength(4_500)
  })

  it('refuses them by the first mistakes, and gives the number of others', async () => {
    const book = newRuleBook()
    const outcome = await book().putAll(
      files(() => 'descriptors: []\n'),
      'ann',
    )
    if (outcome.isAccepted) throw new Error('expected a refusal')
    expect(outcome.mistakes.length).toBeGreaterThan(100)
    expect(outcome.mistakes.length + (outcome.leftOut ?? 0)).toBe(4_500)
    expect((await book().status()).lastError?.mistakes).toEqual(outcome.mistakes)
  })
})

describe('RuleBookObject.putAll()', () => {
  it('makes revision 1 of the first set, says who and what, and keeps it on disk', async () => {
    const book = newRuleBook()
    const outcome = accepted(await book().putAll([shop, bank], 'ann'))
    expect(outcome.revision).toBe(1)
    expect(outcome.changes.files).toEqual({ added: ['config.bank.yaml', 'config.shop.yaml'], changed: [], removed: [] })
    await abortAllDurableObjects()
    expect(await book().snapshot()).toEqual({ revision: 1, files: [bank, shop] })
    const { revisions, lastError } = await book().status()
    expect(revisions).toMatchObject([{ revision: 1, who: 'ann' }])
    expect(Math.abs((revisions[0]?.at ?? 0) - Date.now())).toBeLessThan(60_000)
    expect(lastError).toBeNull()
  })

  it('refuses the whole set for one bad file, remembers why, and the running revision stays', async () => {
    const book = newRuleBook()
    await book().putAll([shop], 'ann')
    const outcome = await book().putAll([bank, broken], 'bob')
    expect(outcome).toMatchObject({
      isAccepted: false,
      mistakes: [{ file: 'config.broken.yaml', message: 'config file cannot have empty domain' }],
    })
    expect(await book().snapshot()).toEqual({ revision: 1, files: [shop] })
    await abortAllDurableObjects()
    expect((await book().status()).lastError).toMatchObject({ who: 'bob', mistakes: [{ file: broken.key }] })
    await book().putAll([bank], 'ann')
    expect((await book().status()).lastError).toBeNull()
  })

  it('says which rules changed, in words, and whether counters are lost', async () => {
    const book = newRuleBook()
    await book().putAll([shop, bank], 'ann')
    const { changes } = accepted(await book().putAll([file(shop.key, 'shop', 6)], 'ann'))
    expect(changes.files).toEqual({ added: [], changed: [shop.key], removed: [bank.key] })
    expect(changes.rules.map(({ change, key }) => [change, key])).toEqual([
      ['removed', 'bank'],
      ['removed', 'bank.k'],
      ['changed', 'shop.k'],
    ])
    expect(changes.rules[2]).toMatchObject({ losesCounters: false })
  })

  it('accepts an empty set: every domain becomes unknown', async () => {
    const book = newRuleBook()
    await book().putAll([shop], 'ann')
    expect(accepted(await book().putAll([], 'ann')).revision).toBe(2)
    expect(await book().snapshot()).toEqual({ revision: 2, files: [] })
  })
})

describe('RuleBookObject.putFile() and removeFile()', () => {
  it('change one file and leave the others', async () => {
    const book = newRuleBook()
    await book().putAll([shop], 'ann')
    await book().putFile(bank, 'ann')
    expect((await book().snapshot())?.files).toEqual([bank, shop])
    accepted(await book().removeFile(shop.key, 'ann'))
    expect(await book().snapshot()).toEqual({ revision: 3, files: [bank] })
    expect(await book().removeFile(shop.key, 'ann')).toBeNull()
  })

  it('refuse a file that does not fit the others', async () => {
    const book = newRuleBook()
    await book().putAll([shop], 'ann')
    const twin = { ...shop, key: 'config.twin.yaml' }
    expect(await book().putFile(twin, 'ann')).toMatchObject({
      isAccepted: false,
      mistakes: [{ file: 'config.twin.yaml', message: "duplicate domain 'shop' in config file" }],
    })
  })
})

describe('RuleBookObject.check()', () => {
  it('compiles and compares, and changes nothing, not even the last error', async () => {
    const book = newRuleBook()
    await book().putAll([shop], 'ann')
    const outcome = accepted(await book().check([bank]))
    expect(outcome.revision).toBe(1)
    expect(outcome.changes.files).toEqual({ added: [bank.key], changed: [], removed: [shop.key] })
    expect((await book().check([broken])).isAccepted).toBe(false)
    expect(await book().status()).toMatchObject({ revision: 1, lastError: null })
  })
})

describe('RuleBookObject.rollBack()', () => {
  it('makes a new revision with the files of an old one', async () => {
    const book = newRuleBook()
    await book().putAll([shop], 'ann')
    await book().putAll([bank], 'ann')
    expect(accepted(await book().rollBack(1, 'bob')).revision).toBe(3)
    expect(await book().snapshot()).toEqual({ revision: 3, files: [shop] })
    expect(await book().snapshot(2)).toEqual({ revision: 2, files: [bank] })
    const restored = (await book().status()).revisions.map((one) => [one.revision, one.restored])
    expect(restored).toEqual([
      [3, 1],
      [2, undefined],
      [1, undefined],
    ])
  })

  it('keeps the newest 50 revisions and no more', async () => {
    const book = newRuleBook()
    for (let requests = 1; requests <= 52; requests++) await book().putFile(file(shop.key, 'shop', requests), 'ann')
    expect((await book().status()).revisions.map(({ revision }) => revision)).toEqual(
      Array.from({ length: 50 }, (_, at) => 52 - at),
    )
    expect(await book().rollBack(2, 'ann')).toBeNull()
    expect(await book().snapshot(3)).toEqual({ revision: 3, files: [file(shop.key, 'shop', 3)] })
  })
})

describe('RuleBookObject.seed()', () => {
  it('puts files into an empty rule book and never into another', async () => {
    const book = newRuleBook()
    expect(accepted(await book().seed([shop], 'start')).revision).toBe(1)
    expect(await book().seed([bank], 'start')).toBeNull()
  })
})

describe('RuleBookObject.newerThan()', () => {
  it('sends files only to those who have another revision', async () => {
    const book = newRuleBook()
    expect(await book().newerThan(0)).toBeNull()
    await book().putAll([shop], 'ann')
    expect(await book().newerThan(0)).toEqual({ revision: 1, files: [shop] })
    expect(await book().newerThan(1)).toBeNull()
  })
})

describe('RuleBookObject.changeLists()', () => {
  const listing = { list: 'deny', domain: 'shop', key: 'user', isNetwork: false, seconds: null, reason: '' } as const

  it('adds, replaces and takes away, and keeps the lists over a restart', async () => {
    const book = newRuleBook()
    const values = ['eve', 'mallory'].map((value) => ({ ...listing, value }))
    await book().changeLists(values, 'ann')
    await book().changeLists([{ ...listing, value: 'eve', seconds: 60, reason: 'scraper' }], 'ben')
    const changed = await book().changeLists([{ ...listing, value: 'mallory', seconds: 0 }], 'ann')
    expect(changed).toMatchObject({ version: 3, listings: [{ value: 'eve', reason: 'scraper', who: 'ben' }] })
    await abortAllDurableObjects()
    expect(await book().lists()).toEqual(changed)
  })

  it('sends them to those who have another version, with the files only where those are newer', async () => {
    const book = newRuleBook()
    await book().putAll([shop], 'ann')
    expect(await book().newerThan(1, 0)).toBeNull()
    await book().changeLists([{ ...listing, value: 'eve' }], 'ann')
    const lists = { version: 1, listings: [{ value: 'eve', until: null }] }
    expect(await book().newerThan(1, 0)).toMatchObject({ revision: 1, lists })
    expect(await book().newerThan(1, 0)).not.toHaveProperty('files')
    expect(await book().readNewerThan(0, 0)).toMatchObject({ revision: 1, files: [{}], lists })
    expect(await book().readNewerThan(1, 1)).toBeNull()
  })

  it('changes nothing where more than the bound would be kept', async () => {
    const book = newRuleBook()
    const many = Array.from({ length: listBounds.kept }, (_, at) => ({ ...listing, value: `v${at}` }))
    const kept = await book().changeLists(many, 'ann')
    expect(
      await book().changeLists(
        [
          { ...listing, value: 'v0' },
          { ...listing, value: 'more' },
        ],
        'ann',
      ),
    ).toBeNull()
    expect(await book().lists()).toEqual(kept)
  })
})

describe('RuleBookObject.readNewerThan()', () => {
  it('sends every revision as read, which compiles to the same rules as its files', async () => {
    const book = newRuleBook()
    expect(await book().readNewerThan(0)).toBeNull()
    const extra = {
      key: 'config.extra.yaml',
      text: 'domain: extra\ndescriptors:\n  - {key: k, metadata: {a: [1, x]}}\n',
    }
    for (const files of [[shop], [bank, shop], [bank, extra]]) {
      const { revision } = accepted(await book().putAll(files, 'ann'))
      const read = await book().readNewerThan(revision - 1)
      expect(read?.revision).toBe(revision)
      // What the isolate takes it for, too.
      const rules = compileFiles((read?.files ?? []) as readonly ParsedFile[])
      expect(listLimits(rules)).toEqual(listLimits(compileFiles(parseFiles(files))))
      expect(await book().readNewerThan(revision)).toBeNull()
    }
    const beforeTheFall = await book().readNewerThan(0)
    await abortAllDurableObjects()
    expect(await book().readNewerThan(0)).toEqual(beforeTheFall)
  })

  it('keeps what it had after a change was refused', async () => {
    const book = newRuleBook()
    await book().putAll([shop], 'ann')
    const before = await book().readNewerThan(0)
    expect((await book().putAll([broken], 'ann')).isAccepted).toBe(false)
    expect(await book().readNewerThan(0)).toEqual(before)
  })
})

describe('RuleBookObject, with changes that come while a long one is read', () => {
  it('takes them one after the other, and answers meanwhile', async () => {
    const book = newRuleBook()() // one stub, whose calls arrive in order
    const lines = Array.from({ length: 5_000 }, (_, at) => `  - {key: k, value: v${at}}\n`)
    const long = { key: 'config.long.yaml', text: `domain: long\ndescriptors:\n${lines.join('')}` }
    const changes = [book.putAll([shop, long], 'ann'), book.putFile(bank, 'bob')]
    expect((await book.status()).revision).toBe(0)
    expect((await Promise.all(changes)).map((outcome) => accepted(outcome).revision)).toEqual([1, 2])
    const { files } = (await book.snapshot()) ?? { files: [] }
    expect(files.map(({ key }) => key)).toEqual([bank.key, long.key, shop.key].sort())
  })
})

describe('RuleBookObject, with more descriptors than a configuration may have', () => {
  /** Half of them and a little more, written once and unfolded by aliases. */
  const half = (name: string) => {
    const below = Array.from({ length: 333 }, (_, at) => `{key: k${at}}`)
    const others = Array.from({ length: 75 }, (_, at) => `- {key: a${at}, descriptors: *below}\n`)
    const text = `domain: ${name}\ndescriptors:\n- key: first\n  descriptors: &below [${below}]\n${others.join('')}`
    return { key: `config.${name}.yaml`, text }
  }

  it('refuses the set and names the file that is too many', async () => {
    const book = newRuleBook()
    const outcome = await book().check([half('a'), half('b')])
    expect(outcome).toEqual({
      isAccepted: false,
      mistakes: [
        {
          file: 'config.b.yaml',
          path: 'descriptors',
          line: 1,
          message: `the configuration has more than ${mostDescriptors} descriptors`,
        },
      ],
    })
  })
})

describe('RuleBookObject, with a mistake that repeats a long text of the file', () => {
  it('reports the mistake with the beginning of the text, and keeps it as the last refusal', async () => {
    const book = newRuleBook()
    const text = 'domain: d\ndescriptors:\n- &long\n  key: '.concat('k'.repeat(400_000), '\n- *long\n')
    const told = {
      file: 'config.long.yaml',
      path: 'descriptors[1].key',
      message: `duplicate descriptor composite key 'd.${'k'.repeat(2_000 - 38)}…`,
    }
    const outcome = await book().putAll([{ key: 'config.long.yaml', text }], 'ann')
    expect(outcome).toMatchObject({ isAccepted: false, mistakes: [told] })
    expect(outcome).not.toHaveProperty('leftOut')
    expect((await book().status()).lastError?.mistakes).toMatchObject([told])
  })

  it('shortens what would be right, too', async () => {
    const book = newRuleBook()
    const digits = `0.${'7'.repeat(400_000)}`
    const text = `domain: d\ndescriptors:\n- key: k\n  rate_limit: {unit: day, requests_per_unit: ${digits}}\n`
    const outcome = await book().putAll([{ key: 'config.long.yaml', text }], 'ann')
    expect(outcome).toMatchObject({
      isAccepted: false,
      mistakes: [{ message: 'error checking config', hint: `${digits.slice(0, 2_000)}…` }],
    })
  })
})

describe('RuleBookObject, with more bytes than a configuration may have', () => {
  /** A file of nearly a megabyte, almost all of it one comment. */
  const large = (at: number) => ({ key: `config.f${at}.yaml`, text: `domain: d${at}\n# ${'c'.repeat(990_000)}\n` })
  const tooLarge = (file: string) => ({
    isAccepted: false,
    mistakes: [{ file, message: `the configuration has more than ${mostSetBytes} bytes` }],
  })

  it('refuses the file that is too many, also when each comes in a separate request', async () => {
    const book = newRuleBook()
    const files = Array.from({ length: 24 }, (_, at) => large(at + 10))
    accepted(await book().putAll(files, 'ann'))
    expect(await book().putFile(large(34), 'ann')).toMatchObject(tooLarge('config.f34.yaml'))
    accepted(await book().putFile(shop, 'ann'))
    expect((await book().status()).revision).toBe(2)
  })
})
