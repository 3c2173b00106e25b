/** How much of what a change of the configuration brought is kept and told: a row has room for 2 MB, an answer for 32 MiB. */

import type { Mistake } from '../../../src/ratelimit/config/compile.ts'
import type { Changes } from './rule-book.ts'

/** Characters of a list as JSON. One answer has fifty revisions with four lists each. */
const mostCharacters = { files: 20_000, rules: 150_000, mistakes: 300_000 } as const

/** Characters of a text of a mistake. It may repeat one of the file, which has up to a megabyte. */
const mostTextCharacters = 2_000

/** Leaves out what has no room of the lists of a change, and says how much. */
export function boundChanges({ files, rules }: Changes): Changes {
  const kept = {
    added: listWithin(files.added, mostCharacters.files),
    changed: listWithin(files.changed, mostCharacters.files),
    removed: listWithin(files.removed, mostCharacters.files),
  }
  const keptRules = listWithin(rules, mostCharacters.rules)
  const leftOut = countOf(files) + rules.length - countOf(kept) - keptRules.length
  return { files: kept, rules: keptRules, ...(leftOut > 0 && { leftOut }) }
}

/** The first mistakes with texts of a bounded length, as many as there is room for; `leftOut` is absent where these are all. */
export function boundMistakes(mistakes: readonly Mistake[]): {
  readonly mistakes: readonly Mistake[]
  readonly leftOut?: number
} {
  const kept = listWithin(mistakes.map(withShortTexts), mostCharacters.mistakes)
  const leftOut = mistakes.length - kept.length
  return { mistakes: kept, ...(leftOut > 0 && { leftOut }) }
}

function withShortTexts({ path, message, hint, ...mistake }: Mistake): Mistake {
  const texts = { path: shortText(path), message: shortText(message) }
  return { ...mistake, ...texts, ...(hint !== undefined && { hint: shortText(hint) }) }
}

function shortText(text: string): string {
  return text.length <= mostTextCharacters ? text : `${text.slice(0, mostTextCharacters)}…`
}

function countOf({ added, changed, removed }: Changes['files']): number {
  return added.length + changed.length + removed.length
}

function listWithin<Item>(list: readonly Item[], most: number): readonly Item[] {
  let characters = 0
  const end = list.findIndex((item) => {
    characters += JSON.stringify(item).length + 1
    return characters > most
  })
  return end < 0 ? list : list.slice(0, end)
}
