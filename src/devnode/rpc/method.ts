/** Methods of the node's JSON-RPC, and readers of their parameters. */

import { decodeBase64 } from '../../base/base64.ts'
import { DevnodeError } from '../errors.ts'
import type { Node, ReadonlyNode } from '../node.ts'

/** The node and the chance that a method uses. */
export interface RpcHost {
  readonly node: Node
  /** 32 random bytes in hex, for a challenge. */
  randomHex(): string
}

/** Parameters by name, not yet checked. */
export type Params = Readonly<Record<string, unknown>>

/** The outcome of a method: a result, or the hash of a transaction whose block has to come first. */
export type MethodOutcome = { readonly result: unknown } | { readonly waitFor: string }

/** One method; `text` is the request as it was sent, for signatures over its exact text. */
export type Method = (host: RpcHost, params: Params, name: string, text: string) => MethodOutcome

/** Tells whether the node answers as today's network does. */
export function isCurrent({ settings }: Pick<ReadonlyNode, 'settings'>): boolean {
  return settings.profile.answers === 'current'
}

/** An error for parameters that do not fit. */
export function invalidParams(message: string): DevnodeError {
  return new DevnodeError('invalid_params', message)
}

/** Reads a text parameter, or throws invalid_params. */
export function textParam(params: Params, name: string): string {
  const value = params[name]
  if (typeof value === 'string') return value
  throw invalidParams(`${name} is ${show(value)}, expected text`)
}

/** Decodes base64, or throws invalid_params. */
export function decodeBytes(value: unknown, name: string): Uint8Array {
  try {
    return decodeBase64(typeof value === 'string' ? value : '-')
  } catch (cause) {
    throw new DevnodeError('invalid_params', `${name} is not base64`, { cause })
  }
}

/** The range of a whole number, and the number that is meant where none is given. */
interface IntRange {
  readonly least: number
  readonly most: number
  readonly otherwise?: number
}

/** Reads a whole number in a range, or throws invalid_params. */
export function intParam(params: Params, name: string, { least, most, otherwise }: IntRange): number {
  const value = params[name] ?? otherwise
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most) return value
  throw invalidParams(`${name} is ${show(value)}, expected a whole number from ${least} to ${most}`)
}

/** Reads true or false, or throws invalid_params. */
export function flagParam(params: Params, name: string, otherwise?: boolean): boolean {
  const value = params[name] ?? otherwise
  if (typeof value === 'boolean') return value
  throw invalidParams(`${name} is ${show(value)}, expected true or false`)
}

/** A parameter in a message: short, and never a structure. */
export function show(value: unknown): string {
  if (value === undefined) return 'missing'
  return typeof value === 'string' ? `"${value.slice(0, 64)}"` : typeof value === 'number' ? `${value}` : typeof value
}
