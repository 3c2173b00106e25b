/** The key beside a counter that says by how much a block has raised it; it must be in the counter's slot. */

import { hashTag, keySlot } from './slot.ts'

const suffix = ':block'

/**
 * Names the marker of a counter: another key of the same slot, so that one script may change both in a cluster.
 *
 * A hash tag begins at the first `{` of a key. A counter without braces becomes the tag itself. One that has a tag
 * keeps it when something is put in front that has no brace. For any other the smallest number of the same slot is
 * the tag. No counter ends as a marker does, because counters end in digits.
 */
export function markerKey(counter: string): string {
  if (!/[{}]/.test(counter)) return `{${counter}}${suffix}`
  if (hashTag(counter) !== counter) return `block:${counter}${suffix}`
  return `{${findTag(keySlot(counter))}}${counter}${suffix}`
}

/** The smallest number of each slot as far as they were looked for: to find all takes some 160,000 attempts. */
const tags = new Map<number, number>()
let tried = 0

function findTag(slot: number): number {
  for (;;) {
    const known = tags.get(slot)
    if (known !== undefined) return known
    const found = keySlot(String(tried))
    if (!tags.has(found)) tags.set(found, tried)
    tried++
  }
}
