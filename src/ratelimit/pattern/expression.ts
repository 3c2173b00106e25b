/**
 * Expressions in time that grows with the length of the value: all ways through one are followed at once, character by
 * character (Thompson, Regular Expression Search Algorithm, CACM 11(6), 1968).
 */

import { charge, type Work } from '../work.ts'
import { type Part, parseExpression, wrongAt } from './parse.ts'
import type { Range } from './ranges.ts'

/** A state: it takes a character, or goes on in one of several states without one; the last one accepts. */
type State =
  | { readonly kind: 'take'; readonly ranges: readonly Range[]; readonly next: number }
  | { readonly kind: 'go'; readonly to: readonly number[] }
  | { readonly kind: 'accept' }

/** A compiled expression. */
export interface Expression {
  readonly text: string
  /** Characters with which every value that fits begins. */
  readonly prefix: string
  readonly states: readonly State[]
  readonly start: number
}

/** Characters of an expression. */
const mostCharacters = 1_000
/** States of an expression, with its repeats written out: the cost of a character at worst. */
const mostStates = 1_000

/**
 * Compiles an expression.
 *
 * @throws RatelimitError as `parseExpression` does.
 * @throws RatelimitError invalid_rules when it is longer than 1,000 characters, or has more than 1,000 states.
 */
export function compileExpression(text: string): Expression {
  if (text.length > mostCharacters) {
    throw wrongAt(`it has ${text.length} characters, expected at most ${mostCharacters}`, mostCharacters)
  }
  const part = parseExpression(text)
  const states: State[] = [{ kind: 'accept' }]
  const start = addPart(states, part, 0)
  return { text, prefix: findPrefix(part), states, start }
}

/**
 * Tells whether a whole value fits.
 *
 * Cost: 16 units for each character and each way to go on there, at most the states of the expression.
 *
 * @throws RatelimitError request_too_large when it costs more than is left of the budget.
 */
export function fitsExpression({ prefix, states, start }: Expression, value: string, work: Work): boolean {
  charge(work, callUnits)
  if (!value.startsWith(prefix)) return false
  /** By state, the last position at which it was opened: no state is followed twice there. */
  const openedAt = new Int32Array(states.length).fill(-1)
  let open: number[] = []
  follow(states, start, { into: open, openedAt, position: 0, work })
  let position = 0
  for (const character of value) {
    charge(work, (open.length + 1) * wayUnits)
    position += 1
    const into: number[] = []
    const code = character.codePointAt(0) ?? 0
    for (const state of open) {
      const taking = states[state]
      if (taking?.kind === 'take' && holds(taking.ranges, code))
        follow(states, taking.next, { into, openedAt, position, work })
    }
    if (into.length === 0) return false
    open = into
  }
  return openedAt[0] === position
}

/** Units of a call that compares nothing. */
const callUnits = 8

/** Units of a way that is followed: 60 to 100 ns. */
const wayUnits = 16

interface Front {
  readonly into: number[]
  readonly openedAt: Int32Array
  readonly position: number
  readonly work: Work
}

/** Opens a state and those that it goes on in, each once. */
function follow(states: readonly State[], first: number, { into, openedAt, position, work }: Front): void {
  const waiting = [first]
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (openedAt[at] === position) continue
    openedAt[at] = position
    const state = states[at]
    if (state?.kind === 'go') {
      charge(work, wayUnits)
      waiting.push(...state.to)
    } else into.push(at)
  }
}

function holds(ranges: readonly Range[], code: number): boolean {
  for (const [first, last] of ranges) if (code >= first && code <= last) return true
  return false
}

function add(states: State[], state: State): number {
  if (states.length >= mostStates) {
    const message = `its repeats make more than ${mostStates} states, expected smaller ones`
    throw wrongAt(message, 0)
  }
  states.push(state)
  return states.length - 1
}

/** Adds the states of a part from its end to its beginning, and returns the state that begins it. */
function addPart(states: State[], part: Part, next: number): number {
  switch (part.kind) {
    case 'set':
      return add(states, { kind: 'take', ranges: part.ranges, next })
    case 'sequence':
      return part.parts.reduceRight((after, one) => addPart(states, one, after), next)
    case 'choice':
      // Options without characters are one.
      return add(states, { kind: 'go', to: [...new Set(part.options.map((option) => addPart(states, option, next)))] })
    case 'repeat':
      return addRepeat(states, part, next)
  }
}

function addRepeat(states: State[], { part, least, most }: Extract<Part, { kind: 'repeat' }>, next: number): number {
  let begin = next
  if (most === null) {
    // The loop needs its own number before the states of its body, which come back to it.
    begin = add(states, { kind: 'go', to: [next] })
    states[begin] = { kind: 'go', to: [addPart(states, part, begin), next] }
  } else {
    for (let optional = most - least; optional > 0; optional--) {
      begin = add(states, { kind: 'go', to: [addPart(states, part, begin), next] })
    }
  }
  for (let needed = least; needed > 0; needed--) {
    const after = begin
    begin = addPart(states, part, after)
    // A part without characters adds no state, however often it repeats.
    if (begin === after) break
  }
  return begin
}

/** The literal characters at the front of an expression that is one sequence. */
function findPrefix(part: Part): string {
  if (part.kind !== 'sequence') return ''
  let prefix = ''
  for (const one of part.parts) {
    const [range, ...more] = one.kind === 'set' ? one.ranges : []
    if (range === undefined || more.length > 0 || range[0] !== range[1]) return prefix
    prefix += String.fromCodePoint(range[0])
  }
  return prefix
}
