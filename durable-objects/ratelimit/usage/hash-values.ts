/** Values of entries that are replaced by a hash, for those who watch and must not see whom they watch. */

import { encodeHex } from '../../../src/base/hex.ts'
import { encodeUtf8 } from '../../../src/base/utf8.ts'
import type { KeyCount, SampledRequest } from '../../../src/ratelimit/usage/types.ts'

/** The first 12 hex digits of the SHA-256 of a text, with `#` before them. */
async function hashText(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', encodeUtf8(text))
  return `#${encodeHex(new Uint8Array(digest)).slice(0, 12)}`
}

/** Sampled requests with every value of an entry hashed: equal values stay equal. */
export function hashValues(samples: readonly SampledRequest[]): Promise<readonly SampledRequest[]> {
  return Promise.all(
    samples.map(async (sample) => {
      const descriptors = await Promise.all(
        sample.request.descriptors.map(async (descriptor) => {
          const entries = await Promise.all(
            descriptor.entries.map(async ({ key, value }) => ({ key, value: await hashText(value) })),
          )
          return { ...descriptor, entries }
        }),
      )
      return { ...sample, request: { ...sample.request, descriptors } }
    }),
  )
}

/** Keys with the key itself and every value of its entries hashed. */
export function hashKeys(keys: readonly KeyCount[]): Promise<readonly KeyCount[]> {
  return Promise.all(
    keys.map(async ({ key, label, ...counts }) => {
      const entries = await Promise.all(
        label.entries.map(async (entry) => ({ key: entry.key, value: await hashText(entry.value) })),
      )
      return { ...counts, key: await hashText(key), label: { ...label, entries } }
    }),
  )
}
