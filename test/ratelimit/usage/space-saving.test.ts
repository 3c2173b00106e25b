import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSketch, joinSketches, mergeSketches, type SketchState } from '#ratelimit/usage/space-saving.ts'

const additions = fc.array(
  fc.record({ key: fc.constantFrom(...'abcdefghijkl'), count: fc.integer({ min: 1, max: 50 }) }),
  { maxLength: 300 },
)

function exact(list: readonly { readonly key: string; readonly count: number }[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>()
  for (const { key, count } of list) sums.set(key, (sums.get(key) ?? 0) + count)
  return sums
}

/** The state of a sketch that has counted a list. */
function stateOf(list: readonly { readonly key: string; readonly count: number }[], capacity: number): SketchState {
  const sketch = createSketch(capacity)
  for (const { key, count } of list) sketch.add(key, count)
  return { entries: sketch.entries(), total: list.reduce((sum, { count }) => sum + count, 0), capacity }
}

describe('createSketch', () => {
  it('holds the true count of every key between count - error and count', () => {
    fc.assert(
      fc.property(additions, fc.integer({ min: 1, max: 12 }), (list, capacity) => {
        const sketch = createSketch(capacity)
        for (const { key, count } of list) sketch.add(key, count)
        const truth = exact(list)
        const total = list.reduce((sum, { count }) => sum + count, 0)
        expect(sketch.entries().length).toBe(Math.min(capacity, truth.size))
        for (const { key, count, error } of sketch.entries()) {
          expect(truth.get(key) ?? 0).toBeGreaterThanOrEqual(count - error)
          expect(truth.get(key) ?? 0).toBeLessThanOrEqual(count)
          expect(error).toBeLessThanOrEqual(total / capacity)
        }
      }),
    )
  })

  it('holds every key with more than total / capacity', () => {
    fc.assert(
      fc.property(additions, fc.integer({ min: 1, max: 12 }), (list, capacity) => {
        const sketch = createSketch(capacity)
        for (const { key, count } of list) sketch.add(key, count)
        const held = new Set(sketch.entries().map(({ key }) => key))
        const frequent = [...exact(list)].filter(([, count]) => count > stateOf(list, capacity).total / capacity)
        expect(frequent.filter(([key]) => !held.has(key))).toEqual([])
      }),
    )
  })

  it('returns the key that made room', () => {
    const sketch = createSketch(2)
    expect([sketch.add('a', 3), sketch.add('b', 1), sketch.add('c', 1)]).toEqual([null, null, 'b'])
    expect(sketch.entries()).toEqual([
      { key: 'a', count: 3, error: 0 },
      { key: 'c', count: 2, error: 1 },
    ])
  })
})

describe('mergeSketches', () => {
  it('keeps the bounds of the merged sketches', () => {
    fc.assert(
      fc.property(fc.array(additions, { minLength: 1, maxLength: 4 }), (lists) => {
        const states = lists.map((list) => stateOf(list, 5))
        const truth = exact(lists.flat())
        const joined = states.reduce((sum, state) => joinSketches(sum, state, 4))
        for (const { key, count, error } of [...mergeSketches(states), ...joined.entries]) {
          expect(truth.get(key) ?? 0).toBeGreaterThanOrEqual(count - error)
          expect(truth.get(key) ?? 0).toBeLessThanOrEqual(count)
        }
        expect(joined.total).toBe([...truth.values()].reduce((sum, count) => sum + count, 0))
        expect(joined.entries.length).toBeLessThanOrEqual(lists.length > 1 ? 4 : 5)
      }),
    )
  })

  it('leaves out what is not wanted before it cuts the list', () => {
    const states = [['a', 'x1'] as const, ['b', 'x2'] as const].map((keys) =>
      stateOf(
        keys.map((key, at) => ({ key, count: 9 - at })),
        2,
      ),
    )
    const listed = mergeSketches(states, (key) => key.startsWith('x')).map(({ key }) => key)
    expect(listed).toEqual(['x1', 'x2'])
  })
})
