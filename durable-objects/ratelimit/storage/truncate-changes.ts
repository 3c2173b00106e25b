/** Bounds on the changes of a revision that are kept and shown: a row has room for 2 MB, an answer for 32 MiB. */

import { listWithin } from '#base/list-within.ts'
import type { Changes } from '#ratelimit/contract/configuration.ts'

/** Characters of a list as JSON. One answer has fifty revisions with four lists each. */
const mostCharacters = { files: 20_000, rules: 150_000 } as const

/** Truncates the lists of a change to the room of a row, and says how many entries it left out. */
export function truncateChanges({ files, rules }: Changes): Changes {
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
