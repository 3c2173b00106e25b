/** Answers about the allow and deny lists. */

import * as z from 'zod'
import type { DeepReadonly } from '../../base/deep-readonly.ts'
import { count, momentMs } from './parts.ts'

/** One value on a list. */
export const KeptListing = z.strictObject({
  list: z.enum(['allow', 'deny']),
  domain: z.string(),
  key: z.string(),
  value: z.string().describe('The whole value of an entry; or there is a cidr.').exactOptional(),
  cidr: z.string().describe('A network that holds the address in an entry; or there is a value.').exactOptional(),
  until: z.int().nullable().describe('Unix time in seconds from which it no longer applies; null for good.'),
  reason: z.string(),
  at: momentMs,
  who: z.string(),
})
export type KeptListing = DeepReadonly<z.infer<typeof KeptListing>>

/** Both lists of every domain, without what has ended. */
export const ListingSet = z.strictObject({
  version: count.describe('Raised by each change.'),
  listings: z.array(KeptListing),
})
export type ListingSet = DeepReadonly<z.infer<typeof ListingSet>>
