/** Paths: the simulation of one, 404 with the nearest one where there is no route, and the front page for `/`. */

import { nearest } from '#base/nearest.ts'
import { simulationName } from '#grid/interface/requests.ts'
import { answerFrontPage, type FrontPage, isBrowser } from '../edge/front-page.ts'
import { json, problem } from './problems.ts'
import { everyRoute } from './routes.ts'

/** Below this path is the default simulation. */
const root = '/api/v1'

/** The simulation that always exists. */
export const defaultName = 'default'

/** The most of a path that an answer repeats, in UTF-16 code units. */
const longestShown = 300

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

/** Finds the place of a path; undefined for one outside of every simulation. */
export function findPlace(pathname: string): Place | undefined {
  const path = trimEndSlashes(pathname)
  const match = /^(?:\/simulations\/([^/]+))?\/api\/v1(\/.*)?$/.exec(path)
  if (match === null) return undefined
  const name = match[1] ?? defaultName
  if (!simulationName.test(name)) return undefined
  return { name, basePath: path.slice(0, path.length - (match[2] ?? '').length), path: match[2] ?? '' }
}

/** Answers 404 for a path, inside of a simulation or not, with the nearest path in the hint. */
export function answerUnknownPath(pathname: string, place: Place | undefined): Response {
  return problem('not_found', `Not found: ${pathname.slice(0, longestShown)}`, hintFor(pathname, place))
}

function hintFor(pathname: string, place: Place | undefined): string {
  const name = /^\/simulations\/([^/]+)/.exec(pathname)?.[1]
  if (name !== undefined && !simulationName.test(name)) {
    return `The name of a simulation is 1 to 63 of a-z, 0-9 and -, with a letter or digit at either end; GET ${root}/simulations lists them`
  }
  const basePath = place?.basePath ?? root
  const paths = knownPaths(basePath === root)
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

const frontPage: FrontPage = {
  name: 'Sluice Grid',
  about: 'A grid-security simulation: a solved power grid, telecontrol frames, attacks, records, exports.',
  links: [
    { path: `${root}/status`, about: 'what the public may know' },
    { path: `${root}/docs`, about: 'help, with a token' },
    { path: `${root}/openapi.json`, about: 'the interface in OpenAPI 3.1, with a token' },
    { path: '/healthcheck', about: 'whether the settings make sense' },
  ],
}

/** Answers `GET /` of a Worker that has this surface and no pages: what is here. It holds no state. */
export function answerRoot(request: Request, tool: Readonly<Record<string, string>>): Response {
  if (isBrowser(request)) return answerFrontPage(request, frontPage)
  return json({
    ...tool,
    interface: root,
    status: `${root}/status`,
    docs: `${root}/docs`,
    openapi: `${root}/openapi.json`,
    simulations: `${root}/simulations`,
    hint: 'All but the status need: Authorization: Bearer <api_key>',
  })
}
