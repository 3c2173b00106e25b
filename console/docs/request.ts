/** A request of one operation with given parameters, and its answer as text. */

import { parseJson } from '#base/json.ts'
import { failureFrom } from '../frame/resource.ts'
import { fetchAs, type Surface } from '../frame/session.ts'
import type { Operation, Parameter } from './document.ts'

/** Characters of an answer that are shown. */
const maxShown = 20_000
/** Milliseconds for which an event stream is read. */
const streamMs = 3_000

/** An answer, or the reason why there is none. */
export interface Reply {
  /** 0 without an answer. */
  readonly status: number
  readonly isOk: boolean
  readonly milliseconds: number
  readonly text: string
}

/** Texts of parameters by their places. */
export type Values = Readonly<Record<string, string>>

/** The place of a parameter: two of one name differ in it. */
export function placeOf({ in: part, name }: Pick<Parameter, 'in' | 'name'>): string {
  return `${part} ${name}`
}

/** Parameters of one part of a request that have a value, each with it. */
function listGiven({ parameters }: Operation, values: Values, part: Parameter['in']): readonly [string, string][] {
  return parameters
    .filter((parameter) => parameter.in === part)
    .map((parameter): [string, string] => [parameter.name, values[placeOf(parameter)] ?? ''])
    .filter(([, value]) => value !== '')
}

/** The path of a request with its query; a parameter without a value keeps its place in braces. */
export function fillPath(operation: Operation, values: Values): string {
  const given = new Map(listGiven(operation, values, 'path'))
  const filled = operation.path.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = given.get(name)
    return value === undefined ? whole : encodeURIComponent(value)
  })
  const query = new URLSearchParams(listGiven(operation, values, 'query').map((pair) => [...pair]))
  return `${filled}${query.size === 0 ? '' : `?${query}`}`
}

/** Sends a request. A failure is an answer of status 0, with its reason as text. */
export async function sendRequest(
  surface: Surface,
  operation: Operation,
  values: Values,
  body: string | null,
): Promise<Reply> {
  const { method, body: described } = operation
  const headers = {
    ...Object.fromEntries(listGiven(operation, values, 'header')),
    ...(described !== undefined && { 'content-type': described.type }),
  }
  const started = performance.now()
  const reply = await fetchAs(surface, fillPath(operation, values), { method, headers, body })
    .then(async (response) => ({ status: response.status, isOk: response.ok, text: indent(await readSome(response)) }))
    .catch((error) => ({ status: 0, isOk: false, text: failureFrom(error).message }))
  return { ...reply, milliseconds: Math.round(performance.now() - started) }
}

/** Reads the beginning of an answer: an event stream does not end, and is cut after a while. A cut text ends with dots. */
async function readSome(response: Response): Promise<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  if (reader === undefined) return ''
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  let text = ''
  let isCut = false
  const cut = () => {
    isCut = true
    return reader.cancel()
  }
  const timer = isStream ? setTimeout(() => void cut(), streamMs) : undefined
  while (text.length <= maxShown) {
    const { done, value } = await reader.read()
    if (done) break
    text += value
  }
  clearTimeout(timer)
  if (text.length > maxShown) await cut()
  return isCut ? `${text.slice(0, maxShown)}\n...` : text
}

function indent(text: string): string {
  return JSON.stringify(parseJson(text), null, 2) ?? text
}
