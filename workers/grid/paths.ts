/** Paths of simulations: the simulation that a path is about, and the path inside its interface. */

import { simulationName } from '#grid/interface/request-bounds.ts'

/** The simulation that always exists. */
export const defaultName = 'default'

/** The base of the interface of the default simulation. */
export const defaultBase = '/api/v1'

/** The base of the interface of a simulation. */
export function baseOf(name: string): string {
  return name === defaultName ? defaultBase : `/simulations/${name}${defaultBase}`
}

/** The simulation that a path is about. */
export interface Place {
  readonly name: string
  /** The base of its interface. */
  readonly basePath: string
  /** The rest: the path inside the interface. */
  readonly path: string
}

/** Removes the slashes at the end of a path, in a loop: the pattern `/+$` takes seconds for a long path of slashes. */
export function trimEndSlashes(pathname: string): string {
  let end = pathname.length
  while (pathname[end - 1] === '/') end -= 1
  return pathname.slice(0, end)
}

/** The last word of a path, which is a name in some routes. */
export function lastWordOf({ pathname }: URL): string {
  return trimEndSlashes(pathname).split('/').at(-1) ?? ''
}

/** Finds the place of a path; undefined for one outside of every simulation. */
export function findPlace(pathname: string): Place | undefined {
  const path = trimEndSlashes(pathname)
  const match = /^(?:\/simulations\/([^/]+))?\/api\/v1(\/.*)?$/.exec(path)
  if (match === null) return undefined
  const name = match[1] ?? defaultName
  if (!simulationName.test(name)) return undefined
  return { name, basePath: path.slice(0, path.length - (match[2] ?? '').length), path: match[2] ?? '' }
}
