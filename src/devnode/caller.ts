/** The caller of an action, as the network's actions see it. */

import { memoBounded } from '../base/memo.ts'
import { toChecksumAddress } from '../streamnet/ids.ts'
import type { Address } from '../streamnet/types.ts'

/** Remembered: the checksum is a Keccak hash, which costs a tenth of a small read. */
const checksummed = memoBounded(1_000, (address: Address) => ({ text: toChecksumAddress(address) }))

/** An address in mixed case (EIP-55). */
export function callerText(address: Address): string {
  return checksummed(address).text
}
