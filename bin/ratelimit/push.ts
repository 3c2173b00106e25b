/** Sends configuration files to a running service, through its operator plane. */

import { reasonOf } from '#base/errors.ts'
import { counted } from '#base/naming.ts'
import type { Failure } from '#ratelimit/contract/answers.ts'
import type { Change, Changes, Mistake } from '#ratelimit/contract/configuration.ts'
import type { LocatedFile } from './runtime-directory.ts'

/** A running service, local or deployed. */
export interface Service {
  /** Origin of the service, for example `http://127.0.0.1:8080`. */
  readonly url: string
  /** Its ADMIN_TOKEN. */
  readonly token: string
  /** Author of the change, for the list of revisions. */
  readonly who: string
}

/** Answer of a service to a push. */
export type PushResult =
  | { readonly kind: 'accepted'; readonly revision: number; readonly changes: Changes }
  /** Nothing has changed; one line for each mistake, and how many the service did not tell. */
  | { readonly kind: 'refused'; readonly mistakes: readonly string[]; readonly leftOut: number }
  /** Only with `onlyIfEmpty`: the service has a configuration already, which stays. */
  | { readonly kind: 'kept' }
  /** Only without removals: the service has files that are not among those pushed, and nothing has changed. */
  | { readonly kind: 'surplus'; readonly removed: readonly string[] }

/**
 * Replaces the whole configuration at once; a set with a mistake is refused and changes nothing.
 *
 * @param options.onlyIfEmpty - true to push only to a service without a configuration.
 * @param options.removes - false to change nothing where files of the service would be removed; true when absent.
 */
export async function pushFiles(
  service: Service,
  files: readonly LocatedFile[],
  { onlyIfEmpty = false, removes = true }: { readonly onlyIfEmpty?: boolean; readonly removes?: boolean } = {},
): Promise<PushResult> {
  if (!removes) {
    const result = await ask(service, files, { method: 'POST', path: '/ratelimit/config/check' })
    if (result.kind !== 'accepted') return result
    const { removed } = result.changes.files
    if (removed.length > 0) return { kind: 'surplus', removed }
  }
  const headers = onlyIfEmpty ? { 'if-none-match': '*' } : {}
  return ask(service, files, { method: 'PUT', path: '/ratelimit/config/files', headers })
}

interface Operation {
  readonly method: 'POST' | 'PUT'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
}

async function ask(
  { url, token, who }: Service,
  files: readonly LocatedFile[],
  { method, path, headers = {} }: Operation,
): Promise<PushResult> {
  const target = new URL(path, url)
  const body = JSON.stringify({ files: Object.fromEntries(files.map(({ key, text }) => [key, text])) })
  const own = { ...headers, authorization: `Bearer ${token}`, from: who }
  const response = await send(target, { method, headers: own, body })
  const text = await response.text()
  if (response.status === 200) return accepted(text)
  if (response.status === 412) return { kind: 'kept' }
  if (response.status === 422) return refused(text, pathsOf(files))
  throw new Error(`Cannot push to ${target.origin}: it answered ${response.status} ${text.trim().slice(0, 300)}`)
}

async function send(target: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(target, init)
  } catch (cause) {
    const state = `it does not answer (${reasonOf(cause)}), expected a running service`
    throw new Error(`Cannot push to ${target.origin}: ${state}`, { cause })
  }
}

function accepted(text: string): PushResult {
  // The operator plane's answer to a change.
  const { revision, changes } = JSON.parse(text) as Change
  return { kind: 'accepted', revision, changes }
}

function refused(text: string, paths: Paths): PushResult {
  // Its answer to files with mistakes.
  const { mistakes = [], leftOut = 0 } = (JSON.parse(text) as Failure).error
  return { kind: 'refused', mistakes: mistakes.map((mistake) => mistakeLine(mistake, paths)), leftOut }
}

/** A refusal for people: one line for each mistake that the service listed, and one for those that it did not. */
export function refusalLines({ mistakes, leftOut }: Extract<PushResult, { kind: 'refused' }>): readonly string[] {
  return leftOut === 0 ? mistakes : [...mistakes, `and ${counted(leftOut, 'further mistake')}`]
}

/** Paths of files by their runtime keys. */
type Paths = ReadonlyMap<string, string>

/** The paths that `mistakeLine` names. */
export function pathsOf(files: readonly LocatedFile[]): Paths {
  return new Map(files.map(({ key, path }) => [key, path]))
}

/** Writes a mistake as one line: the file's path, the reference's text, the place, then what would be right. */
export function mistakeLine({ file, path, line, message, hint }: Mistake, paths: Paths): string {
  const place = path === '' ? `line ${line}` : `line ${line}, ${path}`
  // The hint of a domain that two files have names the other one by its key.
  const right = hint?.replace(/[^\s;]+/g, (word) => paths.get(word) ?? word)
  return `${paths.get(file) ?? file}: ${message} (${place})${right === undefined ? '' : `: ${right}`}`
}

/** Names that are shown of a list; the others are counted. */
const mostNames = 5

/** Up to five names of a list, and how many more there are. */
export function shownNames(names: readonly string[]): string {
  const more = names.length - mostNames
  return `${names.slice(0, mostNames).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** Words the changes of a push, such as "; added config.a.yaml; removed config.b.yaml"; empty without any. */
export function changesText({ files: { added, changed, removed } }: Pick<Changes, 'files'>): string {
  const parts = Object.entries({ added, changed, removed }).filter(([, names]) => names.length > 0)
  return parts.map(([verb, names]) => `; ${verb} ${shownNames(names)}`).join('')
}
