/** Sends configuration files to a running service, through its operator plane. */

import type { ConfigFile } from '../../src/ratelimit/config/document.ts'

/** A running service, local or deployed. */
export interface Service {
  /** Where it answers, for example `http://127.0.0.1:8080`. */
  readonly url: string
  /** Its ADMIN_TOKEN. */
  readonly token: string
  /** Who makes the change, for the list of revisions. */
  readonly who: string
}

/** How a service answered a push. */
export type PushResult =
  /** The new configuration is in force; `changes` is what `PUT /config/files` answers. */
  | { readonly kind: 'accepted'; readonly revision: number; readonly changes: unknown }
  /** Nothing has changed; one line for each mistake, and how many the service did not tell. */
  | { readonly kind: 'refused'; readonly mistakes: readonly string[]; readonly leftOut: number }
  /** Only with `onlyIfEmpty`: the service has a configuration already, which stays. */
  | { readonly kind: 'kept' }

/**
 * Replaces the whole configuration at once; a set with a mistake is refused and changes nothing.
 *
 * @param options.onlyIfEmpty - pushes only to a service without a configuration.
 * @throws Error with one sentence when the service cannot be reached or refuses for a reason other than mistakes in the files.
 */
export async function pushFiles(
  { url, token, who }: Service,
  files: readonly ConfigFile[],
  options: { readonly onlyIfEmpty?: boolean } = {},
): Promise<PushResult> {
  const target = new URL('/ratelimit/config/files', url)
  const headers: Record<string, string> = { authorization: `Bearer ${token}`, from: who }
  if (options.onlyIfEmpty === true) headers['if-none-match'] = '*'
  const body = JSON.stringify({ files: Object.fromEntries(files.map(({ key, text }) => [key, text])) })
  const response = await send(target, { method: 'PUT', headers, body })
  const text = await response.text()
  if (response.status === 200) return accepted(text)
  if (response.status === 412) return { kind: 'kept' }
  if (response.status === 422) return refused(text)
  throw new Error(
    `Cannot push to ${target.origin}: it answered ${response.status} ${text.trim().slice(0, 300)}`,
  )
}

async function send(target: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(target, init)
  } catch (error) {
    const { cause } = error instanceof Error ? error : {}
    const reason = cause instanceof Error ? cause.message : String(error)
    throw new Error(
      `Cannot push to ${target.origin}: it does not answer (${reason}), expected a running service`,
      { cause: error },
    )
  }
}

// Both shapes are those of workers/ratelimit/configuration.ts; a field that is missing is printed as missing.

function accepted(text: string): PushResult {
  const { revision, changes } = JSON.parse(text) as { revision: number; changes: unknown }
  return { kind: 'accepted', revision, changes }
}

function refused(text: string): PushResult {
  const { error } = JSON.parse(text) as { error: { mistakes: readonly MistakeLine[]; leftOut?: number } }
  return { kind: 'refused', mistakes: error.mistakes.map(mistakeLine), leftOut: error.leftOut ?? 0 }
}

/** A refusal for people: one line for each mistake that the service listed, and one for those that it did not. */
export function refusalLines({
  mistakes,
  leftOut,
}: Extract<PushResult, { kind: 'refused' }>): readonly string[] {
  return leftOut === 0 ? mistakes : [...mistakes, `and ${counted(leftOut, 'further mistake')}`]
}

/** A number with its noun, such as "1 file" and "2 files". */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** A mistake as the operator plane writes it. */
interface MistakeLine {
  readonly file: string
  readonly path: string
  readonly line: number
  readonly message: string
  readonly hint?: string
}

/** Writes a mistake as one line: the file, the reference's text, the place, then what would be right. */
export function mistakeLine({ file, path, line, message, hint }: MistakeLine): string {
  const place = path === '' ? `line ${line}` : `line ${line}, ${path}`
  return `${file}: ${message} (${place})${hint === undefined ? '' : `: ${hint}`}`
}
