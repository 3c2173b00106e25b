/** Patterns in which every `*` matches zero or more characters. */

import { charge, type Work } from './work.ts'

/** A pattern with at least one `*`, split at each. */
export interface Wildcard {
  /** The beginning of every text that fits. */
  readonly first: string
  /** Literals that follow, in this order and with anything between. */
  readonly middle: readonly string[]
  /** The end of every text that fits. */
  readonly last: string
}

/** Splits a pattern that holds at least one `*`. */
export function parseWildcard(pattern: string): Wildcard {
  const literals = pattern.split('*')
  return {
    first: literals[0] ?? '',
    middle: literals.slice(1, -1).filter((literal) => literal !== ''),
    last: literals[literals.length - 1] ?? '',
  }
}

/**
 * Tells whether a whole text fits.
 *
 * @throws RatelimitError request_too_large when the middle costs more than is left of the budget.
 */
export function fits(wildcard: Wildcard, text: string, work: Work): boolean {
  const { first, middle, last } = wildcard
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false
  return middle.length === 0 || fitsMiddle(wildcard, text, work)
}

/**
 * Tells whether the literals between the first and the last follow one another in the text between those. Each is
 * taken as far left as it can be, so nothing backtracks.
 *
 * @throws RatelimitError request_too_large when it costs more than is left of the budget.
 */
export function fitsMiddle({ first, middle, last }: Wildcard, text: string, work: Work): boolean {
  const end = text.length - last.length
  let position = first.length
  for (const literal of middle) {
    const found = text.indexOf(literal, position)
    const next = found < 0 ? text.length : found + literal.length
    charge(work, searchUnits(next - position, literal.length))
    if (found < 0 || next > end) return false
    position = next
  }
  return true
}

/** Units of a call that finds nothing to search. */
const callUnits = 8
/** Characters of a literal up to which the engine's search is linear; it compares a longer one again and again. */
const linearLength = 250

function searchUnits(searched: number, literal: number): number {
  return callUnits + (literal <= linearLength ? searched : searched * (literal >> 4))
}
