/**
 * Settings as named texts: one form of table for every surface, and one reader. A table says of each variable how its
 * text is read, what it is when absent, what it is for, and whether it is a secret.
 */

import { VariableError } from './errors.ts'
import { nearest } from './nearest.ts'

/** Reads the text of a variable as a value. */
export interface Reader<T> {
  /** Null when the text is not a value. */
  readonly parse: (text: string) => T | null
  /** The value of an absent variable. */
  readonly fallback: T
  /** Text that gives the fallback, where it is an object. */
  readonly fallbackText?: string
  /** The words after "expected" in an error. */
  readonly expected: string
  /** True when an empty text is a value rather than "not given". */
  readonly keepsEmpty: boolean
  /** The values, where they are words: a mistyped one is answered with the nearest. */
  readonly words?: readonly string[]
}

/** One row of a table. */
export interface Variable<T> extends Reader<T> {
  /** Other names of the same variable. */
  readonly aliases: readonly string[]
  /** True when the value must never be shown. */
  readonly isSecret: boolean
  /** True for a secret that callers send; `weakTokens` finds those that can be guessed. */
  readonly isToken: boolean
}

/** Variables by their names. */
export type VariableTable = Readonly<Record<string, Variable<unknown>>>

/** Every variable's value, typed by its reader. */
export type VariableValues<Table extends VariableTable> = {
  readonly [Name in keyof Table]: Table[Name] extends Variable<infer T> ? T : never
}

/** An environment: variable names to the values that the platform put there; what is not text, number or boolean is ignored. */
export type Environment = Readonly<Record<string, unknown>>

/**
 * Reads every variable of a table from an environment, frozen.
 *
 * Every spelling of a variable is accepted; an empty text counts as absent unless the row takes it as a value. Names
 * that are not in the table are ignored: see `unknownVariables`.
 *
 * @throws VariableError when a text cannot be read, or two spellings of one variable differ.
 */
export function readVariables<Table extends VariableTable>(
  table: Table,
  environment: Environment,
): VariableValues<Table> {
  const pairs = Object.entries(table).map(([name, row]) => [name, readVariable(name, row, environment)])
  // Every name of the table has a pair, and each value comes from the parser that the type is derived from.
  return Object.freeze(Object.fromEntries(pairs)) as VariableValues<Table>
}

function readVariable<T>(name: string, row: Variable<T>, environment: Environment): T {
  const [first, ...others] = [name, ...row.aliases].flatMap((spelling) => {
    const text = variableText(environment[spelling])
    return text === undefined || (text === '' && !row.keepsEmpty) ? [] : [{ spelling, text }]
  })
  if (first === undefined) return row.fallback
  const other = others.find(({ text }) => text !== first.text)
  if (other !== undefined) {
    throw new VariableError(
      `Cannot read settings: ${first.spelling} and ${other.spelling} differ, expected one of them or equal values`,
    )
  }
  const value = row.parse(first.text)
  if (value === null) throw new VariableError(`Cannot read settings: ${describeMistake(first, row)}`)
  return value
}

function describeMistake(
  given: { readonly spelling: string; readonly text: string },
  row: Reader<unknown> & { readonly isSecret: boolean },
): string {
  if (row.isSecret) return `${given.spelling} is not readable, expected ${row.expected}`
  const near = nearestWord(given.text, row.words ?? [])
  const perhaps = near === undefined ? '' : `, perhaps ${near}`
  return `${given.spelling} is ${JSON.stringify(given.text.slice(0, 200))}, expected ${row.expected}${perhaps}`
}

/** Finds the word that was perhaps meant by a text, or by a value of a list such as `a=x,b=y+z`. */
function nearestWord(text: string, words: readonly string[]): string | undefined {
  const values = text.split(/[,+]/).map((item) => item.slice(item.lastIndexOf('=') + 1).trim())
  const mistyped = values.filter((value) => !words.includes(value.toLowerCase()))
  return mistyped.map((value) => nearest(value, words)).find((near) => near !== undefined)
}

/** The text of a variable as the platform hands it over; undefined for bindings of other kinds. */
export function variableText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}

/** Variables that a surface reads from an environment. */
export interface VariableSet {
  readonly tables: readonly VariableTable[]
  /** Names that are known and have no effect; their values are not read. */
  readonly ignored?: readonly string[]
  /** Names that depend on the value of another variable. */
  readonly family?: RegExp
}

/** Every name of a surface, other spellings included. */
export function variableNames({ tables, ignored = [] }: VariableSet): readonly string[] {
  const rows = tables.flatMap((table) => Object.entries(table))
  return [...rows.flatMap(([name, { aliases }]) => [name, ...aliases]), ...ignored]
}

/** A name that no table has. */
interface UnknownVariable {
  readonly name: string
  /** The known name that was probably meant. */
  readonly near: string | undefined
}

/**
 * Finds the names of an environment that are not known, each with the known name that was probably meant: one that
 * differs in letter case and separators only, or in one character of eight, two at most. That is narrower than
 * `nearest()` because an environment also holds the variables of other programs.
 *
 * @param sets - of every surface that the environment is for.
 */
export function unknownVariables(environment: Environment, sets: readonly VariableSet[]): readonly UnknownVariable[] {
  const known = sets.flatMap(variableNames)
  const names = new Set(known)
  const isKnown = (name: string) => names.has(name) || sets.some(({ family }) => family?.test(name))
  return Object.entries(environment)
    .filter(([name, value]) => variableText(value) !== undefined && !isKnown(name))
    .map(([name]) => ({ name, near: nearest(name, known, Math.min(2, Math.floor(name.length / 8))) }))
}

/** Words the mistyped names of an environment that belongs to the product, one sentence for each. */
export function mistypedVariables(environment: Environment, sets: readonly VariableSet[]): readonly string[] {
  return unknownVariables(environment, sets).flatMap(({ name, near }) =>
    near === undefined ? [] : [`Cannot read settings: ${name} is not a setting, perhaps ${near}`],
  )
}

/** Makes a row of a reader. */
export function variable<T>(
  reader: Reader<T>,
  options: { readonly aliases?: readonly string[]; readonly isSecret?: boolean } = {},
): Variable<T> {
  return { ...reader, aliases: options.aliases ?? [], isSecret: options.isSecret ?? false, isToken: false }
}

/** Makes the row of a token that callers send; empty when there is none. */
export function tokenVariable(): Variable<string> {
  return { ...variable(text(''), { isSecret: true }), isToken: true }
}

/** Tells if a token is too long to be guessed: 16 or more characters, none of them a space. */
export function isStrongToken(token: string): boolean {
  return /^\S{16,}$/.test(token)
}

/** Names the tokens of an environment that can be guessed, one sentence for each; an empty one is none. */
export function weakTokens(environment: Environment, sets: readonly VariableSet[]): readonly string[] {
  const rows = sets.flatMap(({ tables }) => tables.flatMap((table) => Object.entries(table)))
  return rows.flatMap(([name, { isToken }]) => {
    const token = variableText(environment[name]) ?? ''
    return !isToken || token === '' || isStrongToken(token) ? [] : [weakToken(name)]
  })
}

/** The sentence about one token that can be guessed, without it. */
export function weakToken(name: string): string {
  return `${name} can be guessed: it is short or has spaces, expected 16 or more characters without spaces, as sluice token --new prints`
}

/** Reads by a function of the caller's; an empty text is "not given". */
export function reader<T>(fallback: T, expected: string, parse: (text: string) => T | null): Reader<T> {
  return { parse, fallback, expected, keepsEmpty: false }
}

/** Any text, the empty one included. */
export function text(fallback: string): Reader<string> {
  return { parse: (value) => value, fallback, expected: 'text', keepsEmpty: true }
}

const truths = ['1', 't', 'T', 'true', 'TRUE', 'True', 'on']
const falsehoods = ['0', 'f', 'F', 'false', 'FALSE', 'False', 'off']

/** A truth value in one of the spellings that Go's `strconv.ParseBool` takes, or `on` or `off`. */
export function flag(fallback: boolean): Reader<boolean> {
  const parse = (value: string) => (truths.includes(value) ? true : falsehoods.includes(value) ? false : null)
  return { ...reader(fallback, '1, t, true, on, 0, f, false or off', parse), words: ['true', 'on', 'false', 'off'] }
}

/** A whole number between bounds, both included. */
export function bounded(fallback: number, least: number, most: number): Reader<number> {
  return reader(fallback, `a whole number from ${least} to ${most}`, (value) => {
    const number = /^\+?\d+$/.test(value) ? Number(value) : Number.NaN
    return number >= least && number <= most ? number : null
  })
}

/** One of a few words, in any letter case. */
export function choice<const T extends string>(fallback: T, words: readonly T[]): Reader<T> {
  const parse = (value: string) => {
    const lower = value.toLowerCase()
    return words.find((word) => word.toLowerCase() === lower) ?? null
  }
  return { ...reader(fallback, words.join(', ').replace(/, ([^,]*)$/, ' or $1'), parse), words }
}
