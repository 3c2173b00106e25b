/** A new configuration as a set of files: its mistakes, and its difference to the one that runs. */

import { listWithin } from '#base/list-within.ts'
import type { Sliced } from '#base/slices.ts'
import {
  type Compiled,
  type ConfigFile,
  checkFilesInSlices,
  type ParsedFile,
  parseFilesInSlices,
} from '#ratelimit/config/compile.ts'
import { diffRules } from '#ratelimit/config/diff.ts'
import { tooManyBytes, tooManyDescriptors } from '#ratelimit/config/set-bounds.ts'
import { unknownToStore } from '#ratelimit/config/sluice-blocks.ts'
import type { Changes } from '#ratelimit/contract/configuration.ts'
import type { Settings } from '#ratelimit/settings.ts'

/** Files of a configuration, in the order of their keys, and the same after their YAML was parsed. */
interface FileSet {
  readonly files: readonly ConfigFile[]
  readonly parsed: readonly ParsedFile[]
}

/** A set of files with its rules and all its mistakes. */
export interface Judged extends FileSet, Compiled {}

/**
 * Compiles a set, and adds what the store of the deployment cannot count and what is beyond the bounds of a set.
 *
 * @param files - of two with one key the last counts.
 * @param changed - the runtime key of the one file that is being changed.
 */
export function* judgeFiles(files: readonly ConfigFile[], settings: Settings, changed?: string): Sliced<Judged> {
  const byKey = new Map(files.map((file) => [file.key, file]))
  const set = [...byKey.values()].sort((one, other) => (one.key < other.key ? -1 : 1))
  const parsed = yield* parseFilesInSlices(set)
  const options = { mergeDomains: settings.MERGE_DOMAIN_CONFIG, ...(changed !== undefined && { changed }) }
  const { rules, mistakes } = yield* checkFilesInSlices(parsed, options)
  yield
  const tooMany = [tooManyDescriptors(parsed), tooManyBytes(set)].filter((mistake) => mistake !== null)
  const uncountable = unknownToStore(parsed, settings.BACKEND_TYPE)
  return { files: set, parsed, rules, mistakes: [...mistakes, ...uncountable, ...tooMany] }
}

/** Compares the configuration that runs with the next one. */
export function* compareRules(before: FileSet, next: Judged, settings: Settings): Sliced<Changes> {
  const compiled = yield* checkFilesInSlices(before.parsed, { mergeDomains: settings.MERGE_DOMAIN_CONFIG })
  yield
  const rules = yield* diffRules(compiled.rules, next.rules)
  yield
  return truncateChanges({ files: compareFiles(before.files, next.files), rules })
}

function compareFiles(before: readonly ConfigFile[], after: readonly ConfigFile[]): Changes['files'] {
  const old = new Map(before.map(({ key, text }) => [key, text]))
  const next = new Map(after.map(({ key, text }) => [key, text]))
  const keys = [...next.keys()]
  return {
    added: keys.filter((key) => !old.has(key)),
    changed: keys.filter((key) => old.has(key) && old.get(key) !== next.get(key)),
    removed: [...old.keys()].filter((key) => !next.has(key)),
  }
}

/** Characters of a list as JSON: a row has room for 2 MB, an answer of fifty revisions with four lists each for 32 MiB. */
const mostCharacters = { files: 20_000, rules: 150_000 } as const

/** Truncates the lists of a change to the room of a row, and says how many entries it left out. */
function truncateChanges({ files, rules }: Changes): Changes {
  const kept = {
    added: listWithin(files.added, mostCharacters.files),
    changed: listWithin(files.changed, mostCharacters.files),
    removed: listWithin(files.removed, mostCharacters.files),
  }
  const keptRules = listWithin(rules, mostCharacters.rules)
  const leftOut = countFiles(files) + rules.length - countFiles(kept) - keptRules.length
  return { files: kept, rules: keptRules, ...(leftOut > 0 && { leftOut }) }
}

function countFiles({ added, changed, removed }: Changes['files']): number {
  return added.length + changed.length + removed.length
}
