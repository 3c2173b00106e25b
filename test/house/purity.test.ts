import { describe, expect, it } from 'vitest'
import { codeOf, sources } from './source.ts'

/** Globals that a pure core may not touch: the clock, chance, timers, the network, the console. */
const impure =
  /\bDate\.now\b|\bnew Date\(\s*\)|\bMath\.random\b|\bcrypto\b|\bsetTimeout\b|\bsetInterval\b|\bperformance\.|(?<![.\w])fetch\(|\bglobalThis\b|\bconsole\./

describe('src', () => {
  it('reads no clock, chance, timer, network or console outside the platforms of the clients', () => {
    const offenders = sources('src')
      .filter(({ path }) => !/^src\/(?:streamnet|limiter)\/platform\.ts$/.test(path))
      .flatMap(({ path, text }) =>
        codeOf(text)
          .split('\n')
          .filter((line) => impure.test(line))
          .map((line) => `${path}: ${line.trim()}`),
      )
    expect(offenders).toEqual([])
  })
})

/** Module state that is not the result of a pure function, and why it may be there. */
const keptOutsideMemo: Readonly<Record<string, string>> = {
  'src/grid/link/slab.ts': 'buffers that frames share',
  'src/ratelimit/redis/marker.ts': 'a search that goes on where it stopped',
  'src/streamnet/rpc/prove-call.ts': 'sign-ins that are under way',
}

describe('src', () => {
  it('keeps results of pure functions with memo() and no other module state', () => {
    const state = /^(?:export )?(?:let |const \w+(?:: [^=]+)? = new (?:Map|Set|WeakMap)(?:<.*>)?\(\))/m
    const offenders = sources('src')
      .filter(({ path, text }) => state.test(codeOf(text)) && keptOutsideMemo[path] === undefined)
      .map(({ path }) => path)
    expect(offenders).toEqual([])
  })
})

describe('workers', () => {
  it('keep no mutable module state outside adapters', () => {
    const offenders = sources('workers')
      .filter(({ path }) => !/^workers\/\w+\/adapters\//.test(path))
      .flatMap(({ path, text }) =>
        text
          .split('\n')
          .filter(
            (line) =>
              /^(?:export\s+)?(?:let|var)\s/.test(line) ||
              /^(?:export\s+)?const \w+ = new (?:Map|Set|WeakMap)\(\)/.test(line),
          )
          .map((line) => `${path}: ${line}`),
      )
    expect(offenders).toEqual([])
  })
})

describe('env', () => {
  it('is never written to', () => {
    const offenders = sources('workers', 'durable-objects')
      .filter(({ text }) => /\benv\.\w+\s*=[^=]/.test(codeOf(text)))
      .map(({ path }) => path)
    expect(offenders).toEqual([])
  })
})
