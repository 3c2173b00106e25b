/** Bounds on the mistakes of a configuration: how many an answer lists, and how much of each. */

import { listWithin } from '../../base/list-within.ts'
import type { Mistake } from '../contract/configuration.ts'

/** Characters of a list as JSON. An answer has one, the row of a refused change another. */
const mostCharacters = 300_000

/** Characters of a text of a mistake. It may repeat one of the file, which has up to a megabyte. */
const mostTextCharacters = 2_000

/** Mistakes that have room. */
export interface BoundMistakes {
  readonly mistakes: readonly Mistake[]
  /** Number of further mistakes; absent where these are all. */
  readonly leftOut?: number
}

/** The first mistakes with texts of a bounded length, as many as there is room for. */
export function boundMistakes(mistakes: readonly Mistake[]): BoundMistakes {
  const kept = listWithin(mistakes.map(withShortTexts), mostCharacters)
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
