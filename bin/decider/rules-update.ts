/** The rules and lists that a front knows, and how an answer of the service replaces them. */

import { isRecord } from '#base/json.ts'
import { doInSlices } from '#base/slices.ts'
import { type ConfigFile, compileFilesInSlices, parseFilesInSlices } from '#ratelimit/config/compile.ts'
import { compileLists, type Listing, type Lists, withLists } from '#ratelimit/lists/lists.ts'
import type { RuleBook } from '#ratelimit/rule-book.ts'

/** Rules and lists, with the versions by which the service knows what is newer. */
export interface KnownRules {
  /** Null while there are none. */
  readonly rules: RuleBook | null
  readonly lists: Lists
  /** 0 before the first answer of a service, as is the version of the lists: then the answer replaces everything. */
  readonly revision: number
  readonly listVersion: number
}

/** The state before the first answer. */
export const noRules: KnownRules = { rules: null, lists: compileLists(0, []), revision: 0, listVersion: 0 }

/**
 * Applies an answer to a question about newer rules; files are compiled in slices, between which decisions go on.
 *
 * @throws Error when it is of another form.
 * @throws RatelimitError invalid_rules when a file has a mistake.
 */
export async function updateRules(
  known: KnownRules,
  answer: unknown,
  options: { readonly mergeDomains: boolean },
): Promise<KnownRules> {
  const newer = readNewer(answer)
  const isFirst = known.revision + known.listVersion === 0
  const hasLists = isFirst || newer?.lists !== undefined
  const lists = hasLists ? compileLists(newer?.lists?.version ?? 0, newer?.lists?.listings ?? []) : known.lists
  const listVersion = hasLists ? lists.version : known.listVersion
  if (newer?.files !== undefined) {
    const rules = await compile(newer.files, options)
    return { rules: withLists(rules, lists), lists, revision: newer.revision, listVersion }
  }
  const kept = isFirst ? null : known.rules
  const rules = hasLists && kept !== null ? withLists(kept, lists) : kept
  return { rules, lists, revision: known.revision, listVersion }
}

async function compile(files: readonly ConfigFile[], options: { readonly mergeDomains: boolean }): Promise<RuleBook> {
  const parsed = await doInSlices(parseFilesInSlices(files), nextTurn)
  return doInSlices(compileFilesInSlices(parsed, options), nextTurn)
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

interface Newer {
  readonly revision: number
  readonly files?: readonly ConfigFile[]
  readonly lists?: { readonly version: number; readonly listings: readonly Listing[] }
}

function readNewer(value: unknown): Newer | null {
  if (value === null) return null
  const { revision, files, lists } = isRecord(value) ? value : {}
  const isRight = files === undefined || (Array.isArray(files) && files.every(isFile))
  if (typeof revision !== 'number' || !isRight) throw new Error('the service answered with no revision')
  return { revision, ...(files !== undefined && { files }), ...(lists !== undefined && { lists: readLists(lists) }) }
}

function isFile(value: unknown): value is ConfigFile {
  return isRecord(value) && typeof value.key === 'string' && typeof value.text === 'string'
}

function readLists(value: unknown): NonNullable<Newer['lists']> {
  const { version, listings } = isRecord(value) ? value : {}
  if (typeof version === 'number' && Array.isArray(listings) && listings.every(isListing)) return { version, listings }
  throw new Error('the service answered with no lists')
}

function isListing(value: unknown): value is Listing {
  if (!isRecord(value)) return false
  const { list, domain, key, value: listed, isNetwork, until } = value
  const isText = [domain, key, listed].every((text) => typeof text === 'string')
  const isEnd = until === null || typeof until === 'number'
  return isText && isEnd && (list === 'allow' || list === 'deny') && typeof isNetwork === 'boolean'
}
