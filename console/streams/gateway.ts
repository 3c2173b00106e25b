/** The gateway's answers that the room reads, and how it asks for them; docs/gateway.md has them whole. */

import { ask, type ReadOptions } from '../frame/api.ts'
import type { ConsoleError } from '../frame/errors.ts'
import { type Resource, useResource } from '../frame/resource.ts'

/** Streams that the gateway lists at once. */
export const mostStreams = 5_000

/** Markets that the network lists at once. */
export const mostMarkets = 100

/** A stream. */
export interface Stream {
  readonly stream_id: string
  readonly data_provider: string
  readonly stream_type: 'primitive' | 'composed'
  readonly created_at: number
}

/** A value at a date in Unix seconds; exact decimals are text. */
export interface Point {
  readonly date: number
  readonly value: string
}

/** A child of a composed stream. */
export interface Child {
  readonly stream: { readonly stream_id: string; readonly data_provider: string }
  readonly weight: string
}

/** A transaction with its decoded payload. */
export interface Transaction {
  readonly hash: string | null
  readonly sender: string | null
  readonly payload: Payload | null
  readonly nonce: number | null
  readonly fee: string | null
  readonly description: string
  readonly code: number
  readonly log: string
  readonly height: number
  readonly index?: number
  readonly time_ms: number | null
}

/** What a transaction asks for. */
export type Payload =
  | {
      readonly kind: 'execute'
      readonly namespace: string
      readonly action: string
      readonly calls: number
      readonly args: readonly (readonly unknown[])[]
      readonly left_out: number
    }
  | { readonly kind: 'transfer'; readonly to: string; readonly amount: string }
  | { readonly kind: 'other'; readonly bytes: number }

/** A block. */
export interface Block {
  readonly height: number
  readonly hash: string
  readonly time_ms: number
  readonly transactions: number
}

/** A market. */
export interface Market {
  readonly id: number
  readonly hash: string
  readonly settle_time: number
  readonly settled: boolean
  readonly winning_outcome: boolean | null
  readonly max_spread: number
}

/** Orders at one price in cents. */
export interface Depth {
  readonly outcome: boolean
  readonly price: number
  readonly buy_volume: number
  readonly sell_volume: number
}

/** What a wallet has in a market. */
export interface Position {
  readonly query_id: number
  readonly outcome: boolean
  /** Cents: below 0 for a bid, 0 for shares that are held. */
  readonly price: number
  readonly amount: number
  readonly position_type: 'holding' | 'buy_order' | 'sell_order'
}

/** Something that happened to an order of a wallet. */
export interface OrderEvent {
  readonly id: number
  readonly query_id: number
  readonly event_type: string
  readonly outcome: boolean
  /** Cents. */
  readonly price: number
  readonly amount: number
  readonly counterparty_address: string | null
  /** Unix time in seconds. */
  readonly block_timestamp: number
}

type Parameters = Readonly<Record<string, string | number | boolean | undefined>>

/** Reads an operation or a path of the gateway; parameters that are undefined are left out. */
export async function read<T>(
  name: string,
  parameters: Parameters = {},
  signal?: AbortSignal,
  readOptions: ReadOptions = {},
): Promise<T> {
  const known = Object.entries(parameters).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, String(value)]],
  )
  const path = `/streamnet/v1/${name}?${new URLSearchParams(known)}`
  return (await ask<{ result: T }>('streamnet', path, { ...readOptions, signal })).result
}

/** Keeps an operation or a path of the gateway read while the component is mounted. */
export function useRead<T>(name: string, parameters: Parameters = {}, everyMs?: number): Resource<T> {
  const key = `${name} ${JSON.stringify(parameters)}`
  return useResource((signal) => read<T>(name, parameters, signal), key, everyMs)
}

/** Runs an operation that changes something. */
export async function write<T>(name: string, body: object): Promise<T> {
  return (await ask<{ result: T }>('streamnet', `/streamnet/v1/${name}`, { method: 'POST', body })).result
}

/** Parameters that name a stream. */
export function nameOf({ stream_id, data_provider }: Pick<Stream, 'stream_id' | 'data_provider'>) {
  return { stream_id, data_provider }
}

/** The address of a stream's view. */
export function hrefOf({ stream_id, data_provider }: Pick<Stream, 'stream_id' | 'data_provider'>): string {
  return `/console/streams/${data_provider}/${stream_id}`
}

/** An address, hash or stream id that fits a line. */
export function short(text: string): string {
  return text.length > 14 ? `${text.slice(0, 8)}…${text.slice(-4)}` : text
}

/** What the gateway found wrong with a field, by the field's path; undefined for none. */
export function mistakeAt(error: ConsoleError | null, path: string): string | undefined {
  const body = error?.body
  if (typeof body !== 'object' || body === null || !('mistakes' in body)) return undefined
  // A problem of the gateway has its mistakes as a list of path and message.
  const mistakes = body.mistakes as readonly { readonly path: string; readonly message: string }[]
  return mistakes.find((one) => one.path === path)?.message
}

/** Tells whether every mistake of an error is at one of these fields, so that it need not be shown again. */
export function isAtFields(error: ConsoleError | null, paths: readonly string[]): boolean {
  return paths.some((path) => mistakeAt(error, path) !== undefined)
}

/** A transaction as a sentence: who, and what was done. */
export function sentenceOf(transaction: Transaction): string {
  return `${senderOf(transaction)} ${deedOf(transaction)}`
}

/** Who sent a transaction. */
export function senderOf({ sender }: Transaction): string {
  return sender === null ? 'An unknown sender' : short(sender)
}

/** What a transaction did, or failed to do. */
export function deedOf({ payload, code }: Transaction): string {
  const [past, present, what] = partsOf(payload)
  return `${code === 0 ? past : `failed to ${present}`} ${what}`
}

type Deed = readonly [past: string, present: string, what: string]

function partsOf(payload: Payload | null): Deed {
  if (payload === null) return ['sent', 'send', 'a transaction whose body is pruned']
  if (payload.kind === 'transfer')
    return ['transferred', 'transfer', `${amount(payload.amount)} to ${short(payload.to)}`]
  if (payload.kind === 'other') return ['sent', 'send', `${payload.bytes} octets`]
  const streams = streamsOf(payload)
  const [first] = streams
  const named = first === undefined ? '' : short(first)
  const others = new Set(streams).size > 1 ? ' and others' : ''
  if (payload.action === 'insert_records' && payload.calls === 1 && first !== undefined) {
    const count = recordsOf(payload, streams.length)
    return ['inserted', 'insert', `${count === 1 ? '1 record' : `${count} records`} into ${named}${others}`]
  }
  const times = payload.calls > 1 ? ` ${payload.calls} times` : ''
  return ['ran', 'run', `${payload.action}${times}${named === '' ? '' : ` on ${named}${others}`}`]
}

type Execution = Extract<Payload, { readonly kind: 'execute' }>

/** The ids of streams among the arguments that are shown. */
function streamsOf({ args }: Execution): readonly string[] {
  return args.flat(2).flatMap((arg) => (typeof arg === 'string' && /^st[a-z0-9]{30}$/.test(arg) ? [arg] : []))
}

/** A record has an owner, a stream, a date and a value, each in a list of its kind, of which the ends are left out. */
function recordsOf({ left_out: leftOut }: Execution, shown: number): number {
  return shown + Math.ceil(leftOut / 4)
}

/** An amount of the smallest unit as a decimal of 18 places, without zeros at its end. */
export function amount(wei: string): string {
  const digits = wei.padStart(19, '0')
  return `${digits.slice(0, -18)}.${digits.slice(-18)}`.replace(/\.?0+$/, '')
}
