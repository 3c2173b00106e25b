import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createMemoryStore } from '#devnode/memory/store.ts'
import { createOverlay, type Overlay } from '#devnode/overlay.ts'
import type { LedgerStore } from '#devnode/ports.ts'
import { ledgerStoreContract } from '../contracts/ledger-store.ts'
import { sweep } from '../support/sweep.ts'

describe('LedgerStore contract', () => {
  ledgerStoreContract('memory', (body) => body(createMemoryStore()))
  ledgerStoreContract('an overlay', (body) => body(createOverlay(createMemoryStore())))
  ledgerStoreContract('an overlay of an overlay', (body) => body(createOverlay(createOverlay(createMemoryStore()))))
})

const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')
const write = fc.record({ key, value: fc.option(fc.string({ maxLength: 3 }), { nil: undefined }) })

type Write = { readonly key: string; readonly value: string | undefined }
type Step = Write | { readonly steps: readonly Step[]; readonly fails: boolean }

function play(store: LedgerStore | Overlay, step: Step): void {
  if ('key' in step) {
    if (step.value === undefined) store.delete(step.key)
    else store.put(step.key, step.value)
    return
  }
  const run = () => {
    for (const one of step.steps) play(store, one)
    if (step.fails) throw new RangeError('refused')
  }
  try {
    if ('attempt' in store) store.attempt(run)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
}

/** The writes of a step that no failing attempt holds. */
function keptWrites(step: Step): readonly Write[] {
  return 'key' in step ? [step] : step.fails ? [] : step.steps.flatMap(keptWrites)
}

test('createOverlay() reads as if its writes had been made, and its base does not see them', () => {
  fc.assert(
    fc.property(fc.array(write), fc.array(write), fc.boolean(), (below, above, isReverse) => {
      const apply = (store: ReturnType<typeof createMemoryStore>, writes: typeof below) => {
        for (const { key, value } of writes) value === undefined ? store.delete(key) : store.put(key, value)
      }
      const all = { start: '', end: '~', isReverse }
      const base = createMemoryStore()
      apply(base, below)
      const before = [...base.list(all)]
      const overlay = createOverlay(base)
      apply(overlay, above)
      const direct = createMemoryStore(before)
      apply(direct, above)
      expect([...overlay.list(all)]).toEqual([...direct.list(all)])
      expect([...base.list(all)]).toEqual(before)
      overlay.commit()
      expect([...base.list(all)]).toEqual([...direct.list(all)])
    }),
    { seed: 6, numRuns: sweep(300) },
  )
})

test('attempt() takes back what threw, at any depth, and keeps the rest and what is lasting', () => {
  const steps = fc.letrec<{ step: Step }>((tie) => ({
    step: fc.oneof({ depthSize: 'small' }, write, fc.record({ steps: fc.array(tie('step')), fails: fc.boolean() })),
  })).step
  fc.assert(
    fc.property(fc.array(write), fc.array(steps), (below, above) => {
      const overlay = createOverlay(createMemoryStore())
      const expected = createMemoryStore()
      for (const one of below) for (const store of [overlay, expected]) play(store, one)
      for (const one of above) {
        play(overlay, one)
        for (const kept of keptWrites(one)) play(expected, kept)
      }
      const all = { start: '', end: '~' }
      expect([...overlay.list(all)]).toEqual([...expected.list(all)])
      for (const name of 'abcdef') expect(overlay.get(name)).toBe(expected.get(name))
    }),
    { seed: 7, numRuns: 300 },
  )
})

test('a lasting write survives the attempt that made it', () => {
  const overlay = createOverlay(createMemoryStore())
  const fail = () => {
    overlay.put('a', '1')
    overlay.lasting.put('b', '2')
    throw new Error('refused')
  }
  expect(() => overlay.attempt(fail)).toThrow('refused')
  expect([overlay.get('a'), overlay.get('b'), [...overlay.changes().keys()]]).toEqual([undefined, '2', ['b']])
})

test.each([
  ['of one byte a character', 'x', 1],
  ['of three', '日', 3],
])(
  'createOverlay() keeps a row of 1,900,000 bytes, key and value, and refuses one more: text %s',
  (_, character, bytes) => {
    const key = 'k'.repeat(1 + ((1_900_000 - 1) % bytes))
    const value = character.repeat((1_900_000 - key.length) / bytes)
    const overlay = createOverlay(createMemoryStore())
    overlay.put(key, value)
    expect(overlay.get(key)).toBe(value)
    expect(() => overlay.put(`${key}k`, value)).toThrow('row is too big')
    expect(overlay.get(`${key}k`)).toBeUndefined()
  },
)

test('size() asks the store underneath once until a commit has changed it', () => {
  const store = createMemoryStore()
  let asked = 0
  const overlay = createOverlay({
    ...store,
    size() {
      asked += 1
      return store.size()
    },
  })
  const before = overlay.size()
  overlay.put('key', 'value')
  expect([overlay.size(), overlay.lasting.size(), asked]).toEqual([before, before, 1])
  overlay.commit()
  expect(overlay.size()).toBeGreaterThan(before)
  expect(asked).toBe(2)
})
