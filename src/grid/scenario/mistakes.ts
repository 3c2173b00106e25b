/** Tests of the parts of a scenario that add a mistake with its place where they fail. */

import { suggest } from '../../base/nearest.ts'
import { formatPlace, type PlaceMistake } from '../interface/body-mistakes.ts'
import type { Network } from '../network/network.ts'
import type { Telecontrol } from '../telecontrol/telecontrol.ts'

/** The parts of the grid that names refer to. */
export interface Places {
  readonly network: Network
  readonly plan: Telecontrol
}

/** The place of a part of a scenario. */
export type Path = readonly PropertyKey[]

/** The grid that the names of a scenario refer to, and the mistakes so far. */
export interface Reader {
  readonly places: Places
  readonly mistakes: PlaceMistake[]
}

/** Tests that exactly one of some members is there, or else adds a mistake. */
export function expectOne(
  value: object,
  names: readonly string[],
  path: Path,
  reader: Pick<Reader, 'mistakes'>,
): boolean {
  const given = names.filter((name) => Reflect.get(value, name) !== undefined)
  if (given.length === 1) return true
  const found = given.length === 0 ? 'none of them' : given.join(' and ')
  refuse(path, `has ${found}, expected exactly one of ${names.join(', ')}`, reader)
  return false
}

/** Tests that a breaker exists, or else adds a mistake that names the nearest one. */
export function expectBreaker(breaker: string, path: Path, { places, mistakes }: Reader): boolean {
  const known = [...places.plan.branchByBreaker.keys()]
  if (known.includes(breaker)) return true
  const right = suggest(breaker, known, `expected such as ${known[0]}`)
  mistakes.push({ path, text: `${formatPlace(path)}: there is no breaker "${breaker.slice(0, 64)}", ${right}` })
  return false
}

/** Tests that a bus has a machine or a load, or else adds a mistake. */
export function expectAt(kind: 'generators' | 'loads', bus: number, path: Path, reader: Reader): boolean {
  const buses = [...new Set(reader.places.network[kind].map((one) => one.bus))]
  if (buses.includes(bus)) return true
  const what = kind === 'generators' ? 'machine' : 'load'
  refuse(path, `is ${bus}, where the network has no ${what}, expected one of ${buses.join(', ')}`, reader)
  return false
}

/** Adds a mistake: the path, and the state of what is there. */
export function refuse(path: Path, state: string, { mistakes }: Pick<Reader, 'mistakes'>): undefined {
  mistakes.push({ path, text: `${formatPlace(path)} ${state}` })
}
