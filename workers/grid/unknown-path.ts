/** 404 for a path that leads nowhere, with the nearest path that leads somewhere. */

import { nearest } from '#base/nearest.ts'
import { simulationName } from '#grid/interface/request-bounds.ts'
import { defaultBase, type Place } from './paths.ts'
import { problem } from './problems.ts'
import { everyRoute } from './routes.ts'

/** The most of a path that an answer repeats, in UTF-16 code units. */
const longestShown = 300

/** Answers 404 for a path, inside of a simulation or not, with the nearest path in the hint. */
export function answerUnknownPath(pathname: string, place: Place | undefined): Response {
  return problem('not_found', `Not found: ${pathname.slice(0, longestShown)}`, hintFor(pathname, place))
}

function hintFor(pathname: string, place: Place | undefined): string {
  const name = /^\/simulations\/([^/]+)/.exec(pathname)?.[1]
  if (name !== undefined && !simulationName.test(name)) {
    return `The name of a simulation is 1 to 63 of a-z, 0-9 and -, with a letter or digit at either end; GET ${defaultBase}/simulations lists them`
  }
  const basePath = place?.basePath ?? defaultBase
  const paths = knownPaths(basePath === defaultBase)
  const near = place === undefined ? nearestOutside(pathname, paths) : nearest(place.path, paths)
  const meant = near === undefined ? '' : `Did you mean ${basePath}${near}? `
  return `${meant}GET ${basePath}/openapi.json lists every path`
}

function knownPaths(isDefault: boolean): readonly string[] {
  const known = everyRoute.filter(({ isGlobal }) => isDefault || isGlobal !== true)
  return [...new Set(known.map(({ path }) => path))]
}

/** The nearest path to one without the base of the interface, or with a wrong one such as `/api/incidents`. */
function nearestOutside(pathname: string, paths: readonly string[]): string | undefined {
  return nearest(pathname.replace(/^(?:\/api)?(?:\/v\d+)?(?=\/)/, ''), paths)
}
