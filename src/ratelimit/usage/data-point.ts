/**
 * A sampled decision as a data point of Analytics Engine: one index, texts and numbers by their place.
 *
 * The platform takes 96 bytes of an index and 16 kB of texts, and drops a point that has more: texts are cut.
 */

import { encodeUtf8 } from '../../base/utf8.ts'
import type { SampledRequest } from './types.ts'

/** A data point; the places are published, so that queries go on: they are only added to. */
export interface DecisionPoint {
  /** The domain: what the platform samples by. */
  readonly indexes: readonly [domain: string]
  readonly blobs: readonly [
    domain: string,
    code: string,
    outcome: string,
    /** The rule that decided: the first that refuses, else the first that is over, else the first; empty for none. */
    rule: string,
    /** Its descriptor as `key=value,key=value`; of the first descriptor where no rule matched. */
    entries: string,
  ]
  /** Requests that it represents, hits of the descriptor, descriptors, Unix time in milliseconds. */
  readonly doubles: readonly [weight: number, hits: number, descriptors: number, atMs: number]
}

/** Bytes of UTF-8 that are kept of a text. */
export const pointBounds = { index: 96, blob: 1_024 } as const

/**
 * The data point of a sampled request.
 *
 * @param sample - with its values already hashed.
 */
export function dataPointOf({ at, weight, code, request, outcomes }: SampledRequest): DecisionPoint {
  const { domain, descriptors, hitsAddend } = request
  const decisive = (['refused', 'shadow', 'admitted'] as const)
    .map((outcome) => outcomes.findIndex((one) => one.rule !== null && one.outcome === outcome))
    .find((place) => place >= 0)
  const { rule = null, outcome } = outcomes[decisive ?? -1] ?? {}
  // Without a rule the request was admitted or refused as a whole.
  const word = code === 'OVER_LIMIT' ? 'refused' : (outcome ?? 'admitted')
  const descriptor = descriptors[decisive ?? 0]
  const entries = descriptor?.entries ?? []
  const text = entries.map(({ key, value }) => `${key}=${value}`).join(',')
  const blobs = [domain, code, word, rule ?? '', text] as const
  const [one, two, three, four, five] = blobs
  const cut = (blob: string) => cutText(blob, pointBounds.blob)
  return {
    indexes: [cutText(domain, pointBounds.index)],
    blobs: [cut(one), cut(two), cut(three), cut(four), cut(five)],
    doubles: [weight, Number(descriptor?.hitsAddend ?? Math.max(1, hitsAddend)), descriptors.length, at],
  }
}

/** As much of the beginning of a text as fits, in whole characters. */
function cutText(text: string, maxBytes: number): string {
  if (encodeUtf8(text).length <= maxBytes) return text
  let [kept, bytes] = ['', 0]
  for (const character of text) {
    bytes += encodeUtf8(character).length
    if (bytes > maxBytes) break
    kept += character
  }
  return kept
}
