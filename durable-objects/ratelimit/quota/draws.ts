/** Draws of many pools from their counters: one call for each object, and a second one when the first is lost. */

import { groupBy } from '#base/group-by.ts'
import { type Draw, decodeDraws, type WireDraw } from '#ratelimit/lease/lease.ts'
import { nameObject, type Placement } from '#ratelimit/placement.ts'
import type { PoolDraw } from '#ratelimit/quota/pool.ts'
import type { Unit } from '#ratelimit/types.ts'
import { units } from '#ratelimit/window.ts'
import { counterAt } from '../back-end/counter-at.ts'
import type { RatelimitEnv } from '../env.ts'

/** One pool's draw. */
export interface CounterDraw {
  readonly key: string
  readonly unit: Unit
  readonly limit: number
  readonly draw: PoolDraw
}

/** Result of a draw and the name of its lease. Null when the answer is lost. */
export type Drawn = { readonly draw: Draw; readonly lease: number } | null

/** Draws from all counters at once. */
export async function drawAll(
  env: RatelimitEnv,
  placement: Placement,
  holder: number,
  draws: readonly CounterDraw[],
): Promise<readonly Drawn[]> {
  const groups = groupBy(draws.entries(), ([, { key }]) => nameObject(key, placement))
  const drawn: Drawn[] = draws.map(() => null)
  await Promise.all(
    [...groups].map(async ([name, group]) => {
      const id = Math.floor(Math.random() * Number.MAX_SAFE_INTEGER)
      const wires = group.map(([, draw]) => toWire(draw))
      const answers = await callTwice(env, name, { id, holder, wires })
      for (const [index, [at]] of group.entries()) {
        const draw = answers?.[index]
        drawn[at] = draw === undefined ? null : { draw, lease: id }
      }
    }),
  )
  return drawn
}

function toWire({ key, unit, limit, draw }: CounterDraw): WireDraw {
  const returned = draw.lease === null ? [] : [draw.lease, draw.unused]
  return [key, units.indexOf(unit), draw.addend, limit, draw.wanted, 1, returned]
}

interface LeaseCall {
  readonly id: number
  readonly holder: number
  readonly wires: readonly WireDraw[]
}

/** Calls an object, and once more with the same id, so that what the first call did is answered and not done again. */
async function callTwice(
  env: RatelimitEnv,
  name: string,
  { id, holder, wires }: LeaseCall,
): Promise<readonly Draw[] | null> {
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      return decodeDraws(await counterAt(env.COUNTER, name).lease(id, holder, wires))
    } catch {
      // The caller counts what fails twice; until the window ends its hits stay charged.
    }
  }
  return null
}
