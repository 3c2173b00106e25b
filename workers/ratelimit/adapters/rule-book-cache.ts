/** This isolate's compiled rules: one revision at a time, checked against RuleBookObject within a bound. */

import { doInSlices } from '#base/slices.ts'
import { pause } from '#objects/base/pause.ts'
import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import type { Newer } from '#objects/ratelimit/rule-book.ts'
import { compileFilesInSlices, type ParsedFile, parseFilesInSlices } from '#ratelimit/config/compile.ts'
import { compileLists, type Lists, withLists } from '#ratelimit/lists/lists.ts'
import type { RuleBook } from '#ratelimit/rule-book.ts'
import { checkDue } from '#ratelimit/rules-check.ts'
import type { Settings } from '#ratelimit/settings.ts'
import { loggerOf } from './logger.ts'

/** The rules that this isolate decides by. */
interface RunningRules {
  /** 0 before anything was accepted. */
  readonly revision: number
  /** Null when nothing was ever accepted. */
  readonly rules: RuleBook | null
}

/** One revision, replaced as a whole: a request that holds it is never shown parts of another. */
const state = {
  running: { revision: 0, rules: null } as RunningRules,
  lists: compileLists(0, []),
  /** Unix time in milliseconds of the last check that RuleBookObject answered. */
  checkedAt: Number.NEGATIVE_INFINITY,
  /** Decisions since a check began. */
  decisions: 0,
  /** Unix time in milliseconds when a check in the background began; 0 when none is under way. */
  checkingSince: 0,
  /** Unix time in milliseconds before which a failed check is not repeated. */
  retryAt: 0,
}

/** A check in the background that has not ended by then was lost with its request. */
const checkLostAfterMs = 5_000
/** Milliseconds after which a request that needs a check no longer waits for it, if there is a copy to go on with. */
const checkPatienceMs = 2_000
/** Milliseconds that a request waits for the first copy; without one it can only be refused. */
const firstCheckPatienceMs = 5_000
/** Milliseconds between checks while RuleBookObject cannot be reached. */
const retryAfterMs = 1_000

/** The one name under which the configuration is kept. */
export function ruleBook(env: RatelimitEnv): ReturnType<RatelimitEnv['RULE_BOOK']['getByName']> {
  return env.RULE_BOOK.getByName('default')
}

/** The rules to decide one request by where no check of them is due; undefined where `currentRules` must be asked. */
export function freshRules(settings: Settings): RunningRules | undefined {
  state.decisions += 1
  return dueAt(settings, Date.now()) < 0.5 ? state.running : undefined
}

function dueAt({ RULES_MAX_STALENESS }: Settings, now: number): number {
  const isResting = now < state.retryAt && state.retryAt - now <= retryAfterMs
  return isResting ? 0 : checkDue(ageAt(now), state.decisions, RULES_MAX_STALENESS)
}

/** Milliseconds since the last check; infinite for one that lies ahead, made under a clock that was set back since. */
function ageAt(now: number): number {
  return state.checkedAt > now ? Number.POSITIVE_INFINITY : now - state.checkedAt
}

/**
 * The rules to decide one request by.
 *
 * A copy whose check is not half due (`checkDue`) is used as it is; in the second half it is still used, while a
 * check runs in the background; beyond it the request waits for its check. So no decision is made by rules
 * whose last check is older than RULES_MAX_STALENESS, and of an isolate ten at most by rules that are older than a
 * second, unless RuleBookObject cannot be reached: then the copy stays in use and the failure is logged. Nothing here
 * waits for another request's promise, which the platform forbids.
 */
export async function currentRules(
  env: RatelimitEnv,
  ctx: ExecutionContext,
  settings: Settings,
): Promise<RunningRules> {
  const now = Date.now()
  const due = dueAt(settings, now)
  if (due < 0.5) return state.running
  if (due >= 1) await waitForCheck(env, settings)
  else if (now > state.checkingSince + checkLostAfterMs) {
    state.checkingSince = now
    ctx.waitUntil(check(env, settings))
  }
  return state.running
}

/** Brings this isolate to the newest revision now, after a change that went through it. */
export async function refreshRules(env: RatelimitEnv, settings: Settings): Promise<RunningRules> {
  await check(env, settings)
  return state.running
}

/** Returns the rules of this isolate and the milliseconds since their last check, for operators. */
export function runningRules(): RunningRules & { readonly ageMs: number } {
  return { ...state.running, ageMs: Date.now() - state.checkedAt }
}

async function waitForCheck(env: RatelimitEnv, settings: Settings): Promise<void> {
  const patienceMs = state.running.revision === 0 ? firstCheckPatienceMs : checkPatienceMs
  await Promise.race([check(env, settings), scheduler.wait(patienceMs)])
}

function setLists(lists: Lists): void {
  const { revision, rules } = state.running
  state.lists = lists
  state.running = { revision, rules: rules === null ? null : withLists(rules, lists) }
}

async function check(env: RatelimitEnv, settings: Settings): Promise<void> {
  try {
    const startedAt = Date.now()
    state.decisions = 0
    const newer = await newerThan(env, state.running.revision, state.lists.version)
    const { lists, files } = newer ?? {}
    if (lists !== undefined && lists.version > state.lists.version)
      setLists(compileLists(lists.version, lists.listings))
    if (newer !== null && files !== undefined && newer.revision > state.running.revision) {
      const compiling = compileFilesInSlices(files, { mergeDomains: settings.MERGE_DOMAIN_CONFIG })
      const rules = await doInSlices(compiling, pause)
      // Two checks may overlap; the one that saw the newer revision wins.
      if (newer.revision > state.running.revision) {
        state.running = { revision: newer.revision, rules: withLists(rules, state.lists) }
      }
    }
    // A moment that lies ahead is of a clock that was set back since: kept, it would make every request wait for a check.
    state.checkedAt = state.checkedAt > Date.now() ? startedAt : Math.max(state.checkedAt, startedAt)
  } catch (error) {
    state.retryAt = Date.now() + retryAfterMs
    loggerOf(env).error(`Cannot refresh rules: revision ${state.running.revision} stays in use`, error)
  } finally {
    state.checkingSince = 0
  }
}

/** Fetches what is newer, parsed by the object. An answer has a bound (32 MiB): a larger configuration is parsed here. */
async function newerThan(env: RatelimitEnv, revision: number, listVersion: number): Promise<Newer<ParsedFile> | null> {
  try {
    // The object answers with what `parseFilesInSlices` made.
    return (await ruleBook(env).readNewerThan(revision, listVersion)) as Newer<ParsedFile> | null
  } catch {
    const newer = await ruleBook(env).newerThan(revision, listVersion)
    if (newer === null) return null
    const { files, ...others } = newer
    return files === undefined ? others : { ...others, files: await doInSlices(parseFilesInSlices(files), pause) }
  }
}
