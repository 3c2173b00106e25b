/** The rules that an object matches buckets by: those of RuleBookObject, checked again within a bound. */

import { doInSlices } from '#base/slices.ts'
import { compileFilesInSlices, type ParsedFile } from '#ratelimit/config/compile.ts'
import type { Domain } from '#ratelimit/rule-book.ts'
import { checkDue } from '#ratelimit/rules-check.ts'
import type { Settings } from '#ratelimit/settings.ts'
import { pause } from '../../base/pause.ts'
import type { RatelimitEnv } from '../env.ts'

/** Keeps the rules. */
export function quotaRules(env: RatelimitEnv, settings: Settings, onChange: () => void) {
  let revision = 0
  let domains: ReadonlyMap<string, Domain> | null = null
  let checkedMs = Number.NEGATIVE_INFINITY
  let checking: Promise<void> | null = null
  let calls = 0

  async function check(nowMs: number): Promise<void> {
    const read = await env.RULE_BOOK.getByName('default').readNewerThan(revision)
    checkedMs = nowMs
    calls = 0
    if (read === null) return
    // The object answers with what `parseFilesInSlices` made.
    const files = read.files as readonly ParsedFile[]
    const compiling = compileFilesInSlices(files, { mergeDomains: settings.MERGE_DOMAIN_CONFIG })
    domains = (await doInSlices(compiling, pause)).domains
    revision = read.revision
    onChange()
  }

  return {
    /** The rules of a domain; null when no rule has it, undefined while no rules were ever read. */
    find: (domain: string): Domain | null | undefined => (domains === null ? undefined : (domains.get(domain) ?? null)),
    /** Asks for newer rules when a check is due (`checkDue`); callers share one question. */
    async refresh(nowMs: number): Promise<void> {
      calls += 1
      if (checkDue(Math.abs(nowMs - checkedMs), calls, settings.RULES_MAX_STALENESS) < 1) return
      checking ??= check(nowMs).finally(() => {
        checking = null
      })
      await checking
    },
  }
}
