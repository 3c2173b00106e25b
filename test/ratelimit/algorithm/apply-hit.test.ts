/** Hits on the counters of a store: joint ones on a draft, which is kept or given up, against a model that copies. */

import { describe, expect, it } from 'vitest'
import { createRandom } from '#base/random.ts'
import { applyAll, applyHit, type CounterWindows, type NamedHit } from '#ratelimit/algorithm/apply-hit.ts'
import type { CounterRow } from '#ratelimit/durability/stored-window.ts'
import type { JointHit } from '#ratelimit/ports.ts'
import { sweep } from '../../support/sweep.ts'

const nowMs = 1_700_000_000_000
const keys = ['plain_', 'a_\nsliding 60', 'b_\ntoken_bucket 60 4', 'c_\nfixed 86400 all_or_nothing'] as const

function store(kept = new Map<string, CounterRow>()) {
  const windows: CounterWindows = {
    find: (name) => kept.get(name)?.window,
    keep: (name, row) => void kept.set(name, row),
  }
  return { kept, windows }
}

const apply = (windows: CounterWindows, hit: NamedHit) => applyHit(windows, hit, nowMs)

function hitOf(key: string, addend: number, joint?: JointHit): NamedHit & { readonly joint?: JointHit } {
  return { name: key, key, unit: 'DAY', addend, limit: 4, ...(joint !== undefined && { joint }) }
}

describe('applyAll()', () => {
  it('counts joint hits all or none, and others in any case, one counter several times too', () => {
    for (let seed = 0; seed < sweep(50_000, 150); seed++) {
      const random = createRandom(seed, 'joint hits')
      const { kept, windows } = store()
      for (let turn = 0; turn < 8; turn++) {
        const size = random.integer(1, 4)
        const hits = Array.from({ length: size }, (_, at) => {
          const [mayRefuse, isTogether] = [random.uniform() < 0.7, random.uniform() < 0.7]
          return hitOf(keys[random.integer(0, 3)] ?? '', random.integer(0, 2), {
            rest: size - 1 - at,
            mayRefuse,
            isTogether,
          })
        })
        const all = store(new Map(kept))
        const each = hits.map((hit) => apply(all.windows, hit))
        const isRefused = hits.some(({ joint }, at) => joint?.mayRefuse && (each[at]?.after ?? 0) > 4)
        const some = store(new Map(kept))
        for (const hit of hits) if (hit.joint?.isTogether !== true) apply(some.windows, hit)
        const answer = applyAll(hits, windows, apply)
        expect({ seed, turn, kept }).toEqual({ seed, turn, kept: isRefused ? some.kept : all.kept })
        if (!isRefused) expect(answer).toEqual(each)
      }
    }
  })

  it('keeps the requests of one call apart', () => {
    const { windows } = store()
    const joint = { mayRefuse: true, isTogether: true }
    const request = [hitOf(keys[3], 1, { ...joint, rest: 1 }), hitOf('plain_', 3, { ...joint, rest: 0 })]
    const answer = applyAll([...request, hitOf(keys[1], 1), ...request], windows, apply)
    expect(answer.map(({ after }) => after)).toEqual([1, 3, 1, 1, 6])
  })
})
