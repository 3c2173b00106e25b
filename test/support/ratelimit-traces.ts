/** Recorded answers of the reference service to random requests under random rules, and what of them can be compared. */

import { readFileSync } from 'node:fs'

/** A call that failed over gRPC: status and message. */
export interface TracedFailure {
  readonly grpc: number
  readonly message: string
}

/** A request in proto3 JSON, the HTTP status of `/json`, and its body: JSON, text, or how the gRPC call failed. */
export type TraceStep = readonly [request: TracedRequest, status: number, body: unknown]

/** Request, as `/json` takes it. */
export interface TracedRequest {
  readonly domain: string
  readonly descriptors: readonly unknown[]
}

/** One configuration and the requests that were made under it, in order. */
export interface TraceRun {
  /** File name to text. */
  readonly files: Readonly<Record<string, string>>
  readonly steps: readonly TraceStep[]
}

/** Runs of one service. */
export interface TraceSet {
  readonly name: string
  /** The settings that it was started with. */
  readonly vars: Readonly<Record<string, string>>
  readonly runs: readonly TraceRun[]
}

/** Every recorded set. */
export const traceSets: readonly TraceSet[] = JSON.parse(
  readFileSync(new URL('../vectors/ratelimit-traces.json', import.meta.url), 'utf8'),
).sets

interface TracedAnswer {
  readonly statuses?: readonly Readonly<Record<string, unknown>>[]
  readonly responseHeadersToAdd?: readonly { readonly key: string; readonly value?: string }[]
  readonly dynamicMetadata?: { readonly descriptors: readonly Readonly<Record<string, unknown>>[] }
}

/** The body of an answer without what depends on the clock or on chance; text that is not JSON stays text. */
export function comparable(text: string): unknown {
  if (!text.startsWith('{')) return text
  const answer = JSON.parse(text) as TracedAnswer
  const { statuses, responseHeadersToAdd: headers, dynamicMetadata: metadata } = answer
  return {
    ...answer,
    ...(statuses && { statuses: statuses.map(without('durationUntilReset')) }),
    ...(headers && {
      responseHeadersToAdd: headers.map((header) => (/reset/i.test(header.key) ? { key: header.key } : header)),
    }),
    ...(metadata && { dynamicMetadata: { ...metadata, descriptors: metadata.descriptors.map(without('limit')) } }),
  }
}

function without(name: string): (object: Readonly<Record<string, unknown>>) => object {
  return ({ [name]: _, ...rest }) => rest
}
