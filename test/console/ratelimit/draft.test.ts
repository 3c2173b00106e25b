/** Unpublished edits of rules: what is kept of them, and what a newer revision makes of them. */

import { beforeEach, describe, expect, it, vi } from 'vitest'

const stored = new Map<string, string>()
let room = Number.POSITIVE_INFINITY

beforeEach(() => {
  stored.clear()
  room = Number.POSITIVE_INFINITY
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    removeItem: (key: string) => stored.delete(key),
    setItem(key: string, text: string) {
      if (text.length > room) throw new DOMException('no room', 'QuotaExceededError')
      stored.set(key, text)
    },
  })
})

let loads = 0
/** The page after it was loaded, with the storage of its tab: a module of another address is another module. */
function load(): Promise<typeof import('#console/ratelimit/draft.ts')> {
  loads += 1
  const path = `#console/ratelimit/draft.ts?load=${loads}`
  return import(/* @vite-ignore */ path)
}

const running = { a: 'one', b: 'two' }
const edited = { a: 'one', b: 'two, edited', c: 'new' }

describe('makeDraft() and withEdits()', () => {
  it('keep files that are edited, added and removed, and make the same files again', async () => {
    const { makeDraft, withEdits } = await load()
    expect(makeDraft(3, running, running)).toBeNull()
    const own = makeDraft(3, running, { a: 'one', c: 'new' })
    expect(own?.edits).toEqual({ b: { before: 'two', after: null }, c: { before: null, after: 'new' } })
    expect(own && withEdits(own, running)).toEqual({ a: 'one', c: 'new' })
  })

  it('make the edits to the files of a newer revision', async () => {
    const { makeDraft, withEdits } = await load()
    const own = makeDraft(3, running, edited)
    expect(own && withEdits(own, { a: 'one, newer', d: 'four' })).toEqual({
      a: 'one, newer',
      b: 'two, edited',
      c: 'new',
      d: 'four',
    })
  })
})

describe('findClashes()', () => {
  it('names the edited files that a newer revision changes in another way', async () => {
    const { findClashes, makeDraft } = await load()
    const own = makeDraft(3, running, edited)
    const clashes = (newer: Readonly<Record<string, string>>) => own && findClashes(own, newer)
    expect(clashes({ ...running, a: 'changed' })).toEqual([])
    expect(clashes(edited)).toEqual([])
    expect(clashes({ a: 'one' })).toEqual(['b'])
    expect(clashes({ ...running, b: 'other', c: 'other' })).toEqual(['b', 'c'])
  })
})

describe('keepDraft()', () => {
  it('keeps a draft for a page that is loaded again, and forgets it', async () => {
    const before = await load()
    const own = before.makeDraft(3, running, edited)
    before.keepDraft(own)
    const after = await load()
    expect(after.draft.value).toEqual(own)
    after.keepDraft(null)
    expect([(await load()).draft.value, stored.size]).toEqual([null, 0])
  })

  it.each([
    ['is too long', 'x'.repeat(1_000_000), Number.POSITIVE_INFINITY],
    ['has no room', 'x', 10],
  ])('says that a draft is not kept that %s, and keeps no earlier one in its place', async (_, text, limit) => {
    const { draft, makeDraft, isUnkept, keepDraft } = await load()
    keepDraft(makeDraft(3, running, edited))
    room = limit
    keepDraft(makeDraft(3, running, { a: text }))
    expect([draft.value?.edits.a?.after, isUnkept.value, stored.size]).toEqual([text, true, 0])
    room = Number.POSITIVE_INFINITY
    keepDraft(makeDraft(3, running, edited))
    expect([isUnkept.value, stored.size]).toEqual([false, 1])
  })

  it.each([
    'null',
    '[]',
    '{',
    '{"revision":"3","edits":{"a":{"before":null,"after":"x"}}}',
    '{"revision":3,"edits":{}}',
    '{"revision":3,"edits":[1]}',
    '{"revision":3,"edits":{"a":null}}',
    '{"revision":3,"edits":{"a":{"before":1,"after":"x"}}}',
  ])('takes %s in the tab for no draft', async (text) => {
    stored.set('sluice-rules-draft', text)
    expect((await load()).draft.value).toBeNull()
  })
})
