/** Random lives of quota assignments in which every part is killed again and again. */

import { type Scenario, simulate } from './quota-world.ts'
import { randomOf } from './random.ts'

/** A window that admitted too much. */
export interface Exceeded {
  readonly seed: number
  readonly window: number
  readonly admitted: number
  readonly limit: number
}

/** Plays the life of a seed. @returns windows that admitted more than their limit, of which there must be none. */
export function lifeWithKills(seed: number): readonly Exceeded[] {
  const scenario = scenarioOf(seed)
  const { limit } = scenario
  return [...simulate(scenario).admitted].flatMap(([window, admitted]) =>
    admitted > limit ? [{ seed, window, admitted, limit }] : [],
  )
}

/** One to four Envoys from idle to overload, some of them of one address, with late and lost messages and other hits. */
function scenarioOf(seed: number): Scenario {
  const random = randomOf(seed * 7_919)
  const limit = 1 + Math.floor(random() ** 3 * 3_000)
  const demands = Array.from({ length: 1 + Math.floor(random() * 4) }, () => {
    const rate = random() * (limit / 20)
    const [from, to, begins] = [random() * 90, random() * 90, random() < 0.3 ? random() * 60 : 0]
    return (second: number) => (second < begins ? 0 : second >= from && second < to ? rate * 4 : rate)
  })
  const isNamed = random() < 0.5
  const isShared = random() < 0.3
  const often = random() * 0.004
  return {
    seed,
    limit,
    demands,
    seconds: 120,
    lifeSeconds: 5 + Math.floor(random() * 40),
    reportMs: 1_000 + Math.floor(random() * 50) * 100,
    lossy: random() < 0.5 ? 0.1 : 0,
    killing: { stream: often, front: often / 2, object: often / 2, counter: often / 2, envoy: often / 2 },
    clientOf: (at) => ({ id: `${isShared ? at % 2 : at}`, isNamed: isNamed && !isShared }),
    isKept: random() < 0.7,
    slowOpening: random() < 0.5 ? 0.5 : 0,
    direct: random() < 0.5 ? 2 : 0,
    leasing: random() < 0.5 ? 0.02 : 0,
  }
}
