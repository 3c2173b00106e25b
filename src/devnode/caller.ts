/** The caller of an action, as the network's actions see it. */

import { memoBounded } from '../base/memo.ts'
import { toChecksumAddress } from '../streamnet/ids.ts'

/** An address in mixed case (EIP-55), remembered: the checksum is a Keccak hash, a tenth of the cost of a small read. */
export const callerText = memoBounded(1_000, toChecksumAddress)
