/** The rules of the revision in force, as a front has them: asked for while it decides, and kept while the service is away. */

import type { Logger } from '#base/logger.ts'
import { inTime } from '#objects/base/in-time.ts'
import type { RuleBook } from '#ratelimit/rule-book.ts'
import { checkDue } from '#ratelimit/rules-check.ts'
import type { Settings } from '#ratelimit/settings.ts'
import type { FrontLink } from './link.ts'
import { noRules, updateRules } from './rules-update.ts'

/** Milliseconds that a decision waits for a check. */
const timeoutMs = 2_000

/** Starts without rules. */
export function createFrontRules(link: FrontLink, settings: Settings, logger: Logger) {
  let known = noRules
  /** Goes up with each connection, so that an answer of an older one is left out. */
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
    const { revision, listVersion } = known
    decisions = 0
    try {
      const answer = await link.ask({ kind: 'rules', revision, listVersion })
      const updated = await updateRules(known, answer, { mergeDomains: settings.MERGE_DOMAIN_CONFIG })
      // An answer of the last connection may be of a service that has begun anew since.
      if (connectionBefore !== connection) return
      known = updated
      checkedMs = startedMs
      seenChanges = changesBefore
    } catch (error) {
      logger.error(`Cannot refresh rules: revision ${revision} stays in use`, error)
    } finally {
      checking = null
    }
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
    await inTime(checkAfterChanges(), timeoutMs).catch(() => {})
    return known.rules
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
      known = { ...known, revision: 0, listVersion: 0 }
    },
    /** True once the service has said what its rules are. */
    isKnown: (): boolean => checkedMs > 0,
    /** The rules to decide by; a promise where a check is due (`checkDue`). */
    current(nowMs: number): RuleBook | null | Promise<RuleBook | null> {
      decisions += 1
      const ageMs = seenChanges === changes ? Math.abs(nowMs - checkedMs) : Number.POSITIVE_INFINITY
      const due = checkDue(ageMs, decisions, settings.RULES_MAX_STALENESS)
      if (due < 0.5 || !link.isOpen()) return known.rules
      if (due >= 1) return wait()
      void check()
      return known.rules
    },
  }
}

/** The rules of one front. */
export type FrontRules = ReturnType<typeof createFrontRules>
