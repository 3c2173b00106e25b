/**
 * Wallets that have signed before. Finding the key of a signature is most of what a transaction costs. Of a wallet that
 * signs often the key is known, and a table of the key's multiples verifies a signature in two fifths of that time.
 */

import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToNumberBE } from '@noble/curves/utils.js'
import type { Address } from '../streamnet/types.ts'
import { recoverKey } from './recovery.ts'

const { Point, Signature } = secp256k1
const scalars = Point.Fn

type Key = InstanceType<typeof Point>

/** Wallets that are counted and have no table yet. */
const mostCounted = 10_000
/** Bits of a scalar that one addition of the table covers: 65 windows of 8 points. */
const windowBits = 4

/** Wallets and how often each has signed; what is known of them saves time and changes no answer. */
interface KnownSigners {
  /** Tells whether a wallet signed a digest of 32 bytes, exactly where `findSigner` finds that wallet. */
  isSignedBy(address: Address, digest: Uint8Array, signature: Uint8Array): boolean
  /** The number of wallets that have a table now: `mostTables` at most, then the one that signed longest ago loses its table. */
  tables(): number
}

/**
 * Knows no wallet yet, and makes a table after so many signatures that were recovered: it costs as much as 16 of them,
 * and takes about 100 kB.
 */
export function createKnownSigners({ signaturesBeforeTable = 16, mostTables = 64 } = {}): KnownSigners {
  const tables = new Map<Address, Key>()
  const counts = new Map<Address, number>()

  const count = (address: Address, key: Uint8Array) => {
    const signatures = (counts.get(address) ?? 0) + 1
    if (counts.size >= mostCounted) counts.clear()
    counts.set(address, signatures)
    if (signatures < signaturesBeforeTable) return
    counts.delete(address)
    tables.set(address, Point.fromBytes(key).precompute(windowBits, false))
    const [oldest] = tables.keys()
    if (tables.size > mostTables && oldest !== undefined) tables.delete(oldest)
  }

  return {
    isSignedBy(address, digest, signature) {
      const known = tables.get(address)
      if (known !== undefined) {
        // Put back at the end: a map keeps the order of insertion.
        tables.delete(address)
        tables.set(address, known)
        return verifies(known, digest, signature)
      }
      const key = recoverKey(address, digest, signature)
      if (key !== undefined) count(address, key)
      return key !== undefined
    },
    tables: () => tables.size,
  }
}

/**
 * The equation behind recovery, solved for the point instead of the key: of e digest, G the generator and Q the key, R is
 * (e / s) G + (r / s) Q. Its x is r, and whether its y is odd is the recovery byte.
 */
function verifies(key: Key, digest: Uint8Array, signature: Uint8Array): boolean {
  const byte = signature[64] ?? 0
  const recovery = byte < 27 ? byte : byte - 27
  if (signature.length !== 65 || recovery > 1) return false
  try {
    const { r, s } = Signature.fromBytes(signature.subarray(0, 64), 'compact')
    const inverse = scalars.inv(s)
    const ofGenerator = scalars.mul(scalars.create(bytesToNumberBE(digest)), inverse)
    const point = Point.BASE.multiplyUnsafe(ofGenerator).add(key.multiplyUnsafe(scalars.mul(r, inverse)))
    const { x, y } = point.toAffine()
    return x === r && (y & 1n) === BigInt(recovery)
  } catch {
    // R or S is 0 or not below the order.
    return false
  }
}
