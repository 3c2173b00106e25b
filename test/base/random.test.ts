import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRandom, resumeRandom } from '#base/random.ts'

const draw = (random: { uint32(): number }, count: number): number[] =>
  Array.from({ length: count }, () => random.uint32())

describe('resumeRandom()', () => {
  it('gives the published first numbers of xoshiro128** from the state 1, 2, 3, 4', () => {
    // Output of the authors' C program, as the Rust crate rand_xoshiro and others publish it.
    expect(draw(resumeRandom([1, 2, 3, 4]), 10)).toEqual([
      11520, 0, 5927040, 70819200, 2031721883, 1637235492, 1287239034, 3734860849, 3729100597, 4258142804,
    ])
  })

  it('continues a stream that went through JSON with the same numbers', () => {
    fc.assert(
      fc.property(fc.integer(), fc.string(), fc.nat(50), (seed, name, before) => {
        const random = createRandom(seed, name)
        draw(random, before)
        const resumed = resumeRandom(JSON.parse(JSON.stringify(random.state())))
        expect(draw(resumed, 8)).toEqual(draw(random, 8))
      }),
      { seed: 4 },
    )
  })
})

describe('createRandom()', () => {
  it('gives equal numbers for equal seed and name and others for another seed or name', () => {
    const first = draw(createRandom(7, 'load'), 16)
    expect(draw(createRandom(7, 'load'), 16)).toEqual(first)
    expect(draw(createRandom(8, 'load'), 16)).not.toEqual(first)
    expect(draw(createRandom(7, 'loae'), 16)).not.toEqual(first)
  })

  it('draws uniforms and integers inside their bounds, reaching both ends of an integer range', () => {
    const random = createRandom(1, 'bounds')
    const seen = new Set<number>()
    for (let n = 0; n < 10_000; n++) {
      const value = random.uniform()
      expect(value >= 0 && value < 1).toBe(true)
      seen.add(random.integer(-2, 3))
    }
    expect([...seen].sort((a, b) => a - b)).toEqual([-2, -1, 0, 1, 2, 3])
  })

  it('draws normals with the mean, deviation and tail that were asked for', () => {
    const random = createRandom(3, 'normal')
    const count = 100_000
    const samples = Array.from({ length: count }, () => random.normal(2, 3))
    const mean = samples.reduce((sum, sample) => sum + sample, 0) / count
    const variance = samples.reduce((sum, sample) => sum + (sample - mean) ** 2, 0) / count
    const tail = samples.filter((sample) => Math.abs(sample - 2) > 6).length / count
    expect(mean).toBeCloseTo(2, 1)
    expect(Math.sqrt(variance)).toBeCloseTo(3, 1)
    expect(tail).toBeCloseTo(0.0455, 2)
  })

  it('keeps streams of neighbouring names uncorrelated', () => {
    const left = createRandom(5, 'pmu-1')
    const right = createRandom(5, 'pmu-2')
    let sum = 0
    for (let n = 0; n < 20_000; n++) sum += (left.uniform() - 0.5) * (right.uniform() - 0.5)
    expect(Math.abs((sum / 20_000) * 12)).toBeLessThan(0.03)
  })
})
