/** The rules of the revision in force, as a front has them: asked for while it decides, and kept while the service is away. */

import { isRecord } from '#base/json.ts'
import type { Logger } from '#base/logger.ts'
import { doInSlices } from '#base/slices.ts'
import { type ConfigFile, compileFilesInSlices, parseFilesInSlices } from '#ratelimit/config/compile.ts'
import { compileLists, type Listing, withLists } from '#ratelimit/lists/lists.ts'
import type { RuleBook } from '#ratelimit/rule-book.ts'
import { checkDue } from '#ratelimit/rules-check.ts'
import type { Settings } from '#ratelimit/settings.ts'
import type { FrontLink } from './link.ts'

/** Milliseconds that a decision waits for a check. */
const timeoutMs = 2_000

/** Starts without rules. */
export function createFrontRules(link: FrontLink, settings: Settings, logger: Logger) {
  let revision = 0
  let rules: RuleBook | null = null
  let lists = compileLists(0, [])
  /** Version of the lists that the next check has. */
  let listVersion = 0
  let connection = 0
  let checkedMs = Number.NEGATIVE_INFINITY
  let checking: Promise<void> | null = null
  /** Decisions since a check began. */
  let decisions = 0
  /** Changes that may have been made. */
  let changes = 0
  /** Changes that came before the last check. */
  let seenChanges = 0

  async function fetchNewer(): Promise<void> {
    const startedMs = Date.now()
    const changesBefore = changes
    const connectionBefore = connection
    const isFirst = revision + listVersion === 0
    decisions = 0
    try {
      const newer = readNewer(await link.ask({ kind: 'rules', revision, listVersion }))
      const compiled = newer?.files === undefined ? undefined : await compile(newer.files)
      // An answer of the last connection may be of a service that has begun anew since.
      if (connectionBefore !== connection) return
      if (isFirst) rules = null
      if (isFirst || newer?.lists !== undefined) {
        lists = compileLists(newer?.lists?.version ?? 0, newer?.lists?.listings ?? [])
        listVersion = lists.version
        if (rules !== null) rules = withLists(rules, lists)
      }
      if (newer !== null && compiled !== undefined) {
        revision = newer.revision
        rules = withLists(compiled, lists)
      }
      checkedMs = startedMs
      seenChanges = changesBefore
    } catch (error) {
      logger.error(`Cannot refresh rules: revision ${revision} stays in use`, error)
    } finally {
      checking = null
    }
  }

  async function compile(files: readonly ConfigFile[]): Promise<RuleBook> {
    const parsed = await doInSlices(parseFilesInSlices(files), turn)
    return doInSlices(compileFilesInSlices(parsed, { mergeDomains: settings.MERGE_DOMAIN_CONFIG }), turn)
  }

  function check(): Promise<void> {
    checking ??= fetchNewer()
    return checking
  }

  /** A check that was under way may have begun before the change. */
  async function checkAfterChanges(): Promise<void> {
    await check()
    if (seenChanges !== changes) await check()
  }

  async function wait(): Promise<RuleBook | null> {
    let timer: NodeJS.Timeout | undefined
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, timeoutMs)
    })
    await Promise.race([checkAfterChanges(), timeout])
    clearTimeout(timer)
    return rules
  }

  return {
    /** Asks for a newer revision now. */
    check,
    /** Has the next decision wait for a check that begins from now on. */
    expire(): void {
      changes += 1
    },
    /** Has the next check replace everything: the service of a new connection may have begun anew. */
    restart(): void {
      connection += 1
      revision = 0
      listVersion = 0
    },
    /** True once the service has said what its rules are. */
    isKnown: (): boolean => checkedMs > 0,
    /** The rules to decide by; a promise where a check is due (`checkDue`). */
    current(nowMs: number): RuleBook | null | Promise<RuleBook | null> {
      decisions += 1
      const ageMs = seenChanges === changes ? Math.abs(nowMs - checkedMs) : Number.POSITIVE_INFINITY
      const due = checkDue(ageMs, decisions, settings.RULES_MAX_STALENESS)
      if (due < 0.5 || !link.isOpen()) return rules
      if (due >= 1) return wait()
      void check()
      return rules
    },
  }
}

/** The rules of one front. */
export type FrontRules = ReturnType<typeof createFrontRules>

function turn(): Promise<void> {
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
