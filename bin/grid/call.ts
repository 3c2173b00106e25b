/** Makes a call of the grid's interface from a command line: words name the route, options its query or its body. */

import { readFileSync } from 'node:fs'
import { isRecord, parseJson } from '#base/json.ts'
import { nearest } from '#base/nearest.ts'
import { everyRoute, isAt, type Route } from '#workers/grid/routes.ts'

/** Request to the grid, and the file of its answer. */
export interface GridCall {
  readonly url: URL
  readonly init: RequestInit
  /** A file for the answer; undefined for standard output. */
  readonly output: string | undefined
}

/** Options of the command itself; no route has a parameter of such a name. */
const ownOptions = ['url', 'simulation', 'output', 'file'] as const

/** Every route with its words, one a line. */
export function listRoutes(): string {
  return everyRoute.map((route) => `${formatWords(route).padEnd(28)} ${route.summary}${parameters(route)}\n`).join('')
}

/** Reads a command line, or throws one line that names the nearest route or option. */
export function parseGridCall(given: readonly string[], environment: NodeJS.ProcessEnv): GridCall {
  const args = given[0] === 'import' ? toNetworkCall(given.slice(1)) : given
  const first = args.findIndex((arg) => arg.startsWith('-'))
  const words = first < 0 ? args : args.slice(0, first)
  const options = readOptions(first < 0 ? [] : args.slice(first))
  const sent = new Map([...options].filter(([name]) => !isOwn(name)))
  const route = findRoute(words, sent, options.has('file'))
  assertKnown(route, sent)
  const token = environment.GRID_TOKEN ?? ''
  const headers = new Headers(token === '' ? {} : { authorization: `Bearer ${token}` })
  const url = makeAddress(words, options)
  const query = [...sent].filter(([name]) => isQuery(route, name))
  for (const [name, value] of query) url.searchParams.set(name, value)
  const members = new Map([...sent].filter(([name]) => !isQuery(route, name)))
  const body = makeBody(route, members, options.get('file'))
  if (body !== undefined && route.body !== undefined) headers.set('content-type', route.body)
  const init = { method: route.method, headers, ...(body !== undefined && { body }) }
  return { url, init, output: options.get('output') }
}

/** Tells whether the JSON of an answer says that nothing was carried out: its member `success` is false. */
export function isUnsuccessful(text: string): boolean {
  const value = parseJson(text)
  return isRecord(value) && value.success === false
}

/** The words of the route that stores a network, for `import FILE --name NAME`. */
function toNetworkCall([file = '', ...args]: readonly string[]): readonly string[] {
  const at = args.findIndex((arg) => /^--name(?:=|$)/.test(arg))
  const [flag = '', value] = at < 0 ? [] : args.slice(at, at + 2)
  const name = flag.includes('=') ? flag.slice('--name='.length) : value
  if (name === undefined || file.startsWith('-')) {
    throw new Error('Cannot import: expected sluice grid import FILE --name NAME')
  }
  const rest = args.filter((_, index) => index !== at && (flag.includes('=') || index !== at + 1))
  return ['networks', name, '--file', file, ...rest]
}

function isQuery({ method, query = {} }: Route, name: string): boolean {
  return method === 'GET' || Object.hasOwn(query, name)
}

function isOwn(name: string): boolean {
  return ownOptions.some((own) => own === name)
}

function formatWords({ path }: Route): string {
  return path.slice(1).replaceAll('/', ' ').replace(/:\w+/, 'NAME')
}

function parameters({ method, query, body }: Route): string {
  if (method === 'GET')
    return Object.keys(query ?? {})
      .map((name) => ` [--${name}]`)
      .join('')
  return body === 'application/json' ? ' (with options: its body)' : ''
}

/** Of a path that can be read and written, a file or an option that its read does not have asks for the write. */
function findRoute(words: readonly string[], sent: ReadonlyMap<string, string>, hasFile: boolean): Route {
  const found = everyRoute.filter((route) => isAt(route, `/${words.join('/')}`))
  const { query = {} } = found.find(({ method }) => method === 'GET') ?? {}
  const isWriting = hasFile || [...sent.keys()].some((name) => !Object.hasOwn(query, name))
  const route = found.find(({ method }) => (method === 'GET') !== isWriting) ?? found[0]
  if (route !== undefined) return route
  const near = nearest(words.join(' '), everyRoute.map(formatWords))
  throw new Error(
    `Cannot call the grid: there is no route "${words.join(' ').slice(0, 100)}", ${near === undefined ? 'see --list' : `perhaps ${near}`}`,
  )
}

function readOptions(args: readonly string[]): ReadonlyMap<string, string> {
  const options = new Map<string, string>()
  for (let at = 0; at < args.length; at++) {
    const [, name, inline] = /^--([a-z][\w-]*)(?:=(.*))?$/s.exec(args[at] ?? '') ?? []
    if (name === undefined)
      throw new Error(`Cannot call the grid: "${args[at]}" is not an option, expected --NAME VALUE`)
    const value = inline ?? args[++at]
    if (value === undefined) throw new Error(`Cannot call the grid: --${name} has no value`)
    options.set(name, value)
  }
  return options
}

/** Refuses unknown parameters of a query, which the service would ignore; it reports those of a body itself. */
function assertKnown({ method, query = {} }: Route, given: ReadonlyMap<string, string>): void {
  if (method !== 'GET') return
  for (const name of given.keys()) {
    if (Object.hasOwn(query, name)) continue
    const near = nearest(name, [...Object.keys(query), ...ownOptions])
    throw new Error(
      `Cannot call the grid: there is no option --${name}, ${near === undefined ? 'see --list' : `perhaps --${near}`}`,
    )
  }
}

function makeAddress(words: readonly string[], options: ReadonlyMap<string, string>): URL {
  const text = options.get('url') ?? 'http://127.0.0.1:8080'
  if (!URL.canParse(text)) {
    throw new Error(
      `Cannot call the grid: --url is "${text.slice(0, 200)}", expected an address such as http://127.0.0.1:8080`,
    )
  }
  const simulation = options.get('simulation')
  const base = simulation === undefined ? '/api/v1' : `/simulations/${encodeURIComponent(simulation)}/api/v1`
  return new URL(`${base}/${words.map(encodeURIComponent).join('/')}`, text)
}

function makeBody(route: Route, given: ReadonlyMap<string, string>, file: string | undefined) {
  if (route.method === 'GET') return undefined
  if (file !== undefined) return Uint8Array.from(readFileSync(file))
  if (route.body === undefined || given.size === 0) return undefined
  return JSON.stringify(Object.fromEntries([...given].map(([name, value]) => [name, readValue(value)])))
}

function readValue(text: string): unknown {
  const value = parseJson(text)
  return value === undefined ? text : value
}
