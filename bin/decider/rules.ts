/** The rules of the revision in force, as a front has them: asked for while it decides, and kept while the service is away. */

import { isRecord } from '#base/json.ts'
import type { Logger } from '#base/logger.ts'
import { doInSlices } from '#base/slices.ts'
import { compileSlices, readSlices } from '#ratelimit/config/compile.ts'
import type { ConfigFile } from '#ratelimit/config/document.ts'
import type { RuleBook } from '#ratelimit/rule-book.ts'
import type { Settings } from '#ratelimit/settings.ts'
import type { FrontLink } from './link.ts'

/** The rules of one front. */
export interface FrontRules {
  /** The rules to decide by; a promise where the last check is older than RULES_MAX_STALENESS. */
  current(nowMs: number): RuleBook | null | Promise<RuleBook | null>
  /** True once the service has said what its rules are. */
  isKnown(): boolean
  /** Asks for a newer revision now. */
  check(): Promise<void>
}

/** Milliseconds that a decision waits for a check. */
const patienceMs = 2_000

/** Starts without rules. */
export function createFrontRules(link: FrontLink, settings: Settings, logger: Logger): FrontRules {
  let revision = 0
  let rules: RuleBook | null = null
  let checkedMs = Number.NEGATIVE_INFINITY
  let checking: Promise<void> | null = null

  async function fetchNewer(): Promise<void> {
    const startedMs = Date.now()
    try {
      const newer = readSnapshot(await link.ask({ kind: 'rules', revision }))
      if (newer !== null && newer.revision > revision) {
        const files = await doInSlices(readSlices(newer.files), turn)
        const compiled = await doInSlices(compileSlices(files, { mergeDomains: settings.MERGE_DOMAIN_CONFIG }), turn)
        ;[revision, rules] = [newer.revision, compiled]
      }
      checkedMs = startedMs
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

  async function wait(): Promise<RuleBook | null> {
    let timer: NodeJS.Timeout | undefined
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, patienceMs)
    })
    await Promise.race([check(), patience])
    clearTimeout(timer)
    return rules
  }

  return {
    check,
    isKnown: () => checkedMs > 0,
    current(nowMs) {
      const ageMs = Math.abs(nowMs - checkedMs)
      if (ageMs * 2 < settings.RULES_MAX_STALENESS || !link.isOpen()) return rules
      if (ageMs >= settings.RULES_MAX_STALENESS) return wait()
      void check()
      return rules
    },
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

function readSnapshot(value: unknown): { readonly revision: number; readonly files: readonly ConfigFile[] } | null {
  if (value === null) return null
  const { revision, files } = isRecord(value) ? value : {}
  if (typeof revision === 'number' && Array.isArray(files) && files.every(isFile)) return { revision, files }
  throw new Error('the service answered with no revision')
}

function isFile(value: unknown): value is ConfigFile {
  return isRecord(value) && typeof value.key === 'string' && typeof value.text === 'string'
}
