/** The parameters of attacks as data: their shapes, their defaults, and reading a request against them. */

import type { Json, JsonObject } from '../../base/json.ts'
import { nearest } from '../../base/nearest.ts'

/** A mistake in an enable request. */
export interface Mistake {
  /** Such as `params.bus` or `schedule.start_frame`; empty for a mistake without a place. */
  readonly path: string
  readonly message: string
}

/** Tells what is wrong with a parameter, such as `is 11, expected a number from 0 to 10`. */
export function parameterMistake(name: string, state: string): Mistake {
  return { path: `params.${name}`, message: `Parameter "${name}" ${state}` }
}

/** Tells what is wrong with a property beside the parameters, which may also be among them. */
export function propertyMistake(name: string, state: string): Mistake {
  return { path: name, message: `Parameter "${name}" ${state}` }
}

/** The definition of a parameter; the whole table of an attack is published as it is. */
export type ParamSpec = (
  | { readonly type: 'number' | 'integer'; readonly default: number; readonly min: number; readonly max: number }
  | { readonly type: 'boolean'; readonly default: boolean }
  | { readonly type: 'string'; readonly default: string; readonly enum: readonly string[] }
  | { readonly type: 'string'; readonly default: string; readonly maxLength: number }
  | { readonly type: 'strings'; readonly default: readonly string[]; readonly maxItems: number }
) & { readonly unit?: string; readonly description?: string }

/** The parameters of one attack by name. */
export type ParamTable = Readonly<Record<string, ParamSpec>>

/** The value that a parameter has after reading. */
export type ParamValue<Spec> = Spec extends { readonly type: 'number' | 'integer' }
  ? number
  : Spec extends { readonly type: 'boolean' }
    ? boolean
    : Spec extends { readonly type: 'string'; readonly enum: readonly (infer Name)[] }
      ? Name
      : Spec extends { readonly type: 'string' }
        ? string
        : readonly string[]

/** All parameters of one attack after reading. */
export type Params<Table extends ParamTable> = { readonly [Name in keyof Table]: ParamValue<Table[Name]> }

/** Parameters with every default filled in, or every mistake that was found. */
export type ReadParams =
  | { readonly ok: true; readonly params: JsonObject }
  | { readonly ok: false; readonly mistakes: readonly Mistake[] }

/** Most unknown names of a request that an answer lists. */
export const maximumListed = 10

/** Reads the parameters of a request against the table of an attack: all of them, or every mistake. */
export function readParams(table: ParamTable, given: Readonly<Record<string, unknown>>): ReadParams {
  const mistakes: Mistake[] = Object.keys(given)
    .filter((name) => !Object.hasOwn(table, name))
    .slice(0, maximumListed)
    .map((name) => name.slice(0, 64))
    .map((name) => ({ path: `params.${name}`, message: `Unknown parameter "${name}", ${listNames(table, name)}` }))
  const params: Record<string, Json> = {}
  for (const [name, spec] of Object.entries(table)) {
    const value = Object.hasOwn(given, name) ? given[name] : spec.default
    const wanted = findWanted(spec, value)
    // findWanted has checked it against its type.
    if (wanted === undefined) params[name] = value as Json
    else mistakes.push(parameterMistake(name, `is ${show(value)}, expected ${wanted}`))
  }
  return mistakes.length === 0 ? { ok: true, params } : { ok: false, mistakes }
}

function listNames(table: ParamTable, given: string): string {
  const names = Object.keys(table)
  const meant = nearest(given, names)
  if (meant !== undefined) return `did you mean "${meant}"? Known: ${names.join(', ')}`
  return `expected ${names.length === 0 ? 'no parameters' : names.join(', ')}`
}

/** The values that a parameter takes; undefined where this is one of them. */
function findWanted(spec: ParamSpec, value: unknown): string | undefined {
  switch (spec.type) {
    case 'number':
    case 'integer': {
      const isNumber = typeof value === 'number' && Number.isFinite(value)
      const isRightKind = isNumber && (spec.type === 'number' || Number.isInteger(value))
      if (isRightKind && value >= spec.min && value <= spec.max) return undefined
      return `${spec.type === 'integer' ? 'an integer' : 'a number'} from ${spec.min} to ${spec.max}`
    }
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'true or false'
    case 'string':
      return findWantedText(spec, value)
    case 'strings': {
      const isList = Array.isArray(value) && value.length >= 1 && value.length <= spec.maxItems
      const isRight = isList && value.every((item) => typeof item === 'string' && item.length <= 64)
      return isRight ? undefined : `a list of 1 to ${spec.maxItems} texts`
    }
  }
}

function findWantedText(spec: ParamSpec & { readonly type: 'string' }, value: unknown): string | undefined {
  if ('enum' in spec) return spec.enum.some((name) => name === value) ? undefined : `one of ${spec.enum.join(', ')}`
  const isRight = typeof value === 'string' && value.length > 0 && value.length <= spec.maxLength
  return isRight ? undefined : `a text of 1 to ${spec.maxLength} characters`
}

/** Shows a value of any shape as JSON, cut short. */
export function show(value: unknown): string {
  if (typeof value === 'number') return String(value)
  const text = JSON.stringify(value) ?? typeof value
  return text.length > 64 ? `${text.slice(0, 64)}...` : text
}
