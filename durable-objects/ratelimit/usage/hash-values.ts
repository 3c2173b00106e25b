/** Hashes for observers without the right to see values: what identifies a user is replaced, equal values stay equal. */

import { encodeHex } from '#base/hex.ts'
import { encodeUtf8 } from '#base/utf8.ts'
import type { KeyCount } from '#ratelimit/contract/usage.ts'
import type { Entry } from '#ratelimit/types.ts'
import type { SampledRequest } from '#ratelimit/usage/types.ts'

/** The first 12 hex digits of the SHA-256 of a text, with `#` before them. */
async function hashText(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', encodeUtf8(text))
  return `#${encodeHex(new Uint8Array(digest)).slice(0, 12)}`
}

function hashEntries(entries: readonly Entry[]): Promise<readonly Entry[]> {
  return Promise.all(entries.map(async ({ key, value }) => ({ key, value: await hashText(value) })))
}

async function hashRequest({ request, ...sample }: SampledRequest): Promise<SampledRequest> {
  const descriptors = await Promise.all(
    request.descriptors.map(async (descriptor) => ({ ...descriptor, entries: await hashEntries(descriptor.entries) })),
  )
  return { ...sample, request: { ...request, descriptors } }
}

/** Sampled requests with every value of an entry hashed. */
export function hashValues(samples: readonly SampledRequest[]): Promise<readonly SampledRequest[]> {
  return Promise.all(samples.map(hashRequest))
}

/** Keys with the key itself and every value of its entries hashed. */
export function hashKeys(keys: readonly KeyCount[]): Promise<readonly KeyCount[]> {
  return Promise.all(
    keys.map(async ({ key, label, ...counts }) => {
      const entries = await hashEntries(label.entries)
      return { ...counts, key: await hashText(key), label: { ...label, entries } }
    }),
  )
}
