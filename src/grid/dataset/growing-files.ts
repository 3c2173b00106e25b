/** Files that grow in memory until their octets are taken. */

import { concatBytes } from '../../base/bytes.ts'
import { encodeUtf8 } from '../../base/utf8.ts'

/** Octets at the end of a file that grows. */
export interface GrownPart {
  /** Path within the data set; the first part of a path begins the file. */
  readonly path: string
  readonly bytes: Uint8Array
}

/** Files that grow in memory. */
export interface GrowingFiles {
  readonly put: (path: string, bytes: Uint8Array) => void
  readonly putText: (path: string, text: string) => void
  /** Takes the octets of each file that has at least so many. */
  readonly take: (least: number) => Generator<GrownPart>
}

/** Starts without a file. */
export function openGrowingFiles(): GrowingFiles {
  const pending = new Map<string, { readonly parts: Uint8Array[]; size: number }>()
  const put = (path: string, bytes: Uint8Array) => {
    const file = pending.get(path) ?? { parts: [], size: 0 }
    file.parts.push(bytes)
    file.size += bytes.length
    pending.set(path, file)
  }
  return {
    put,
    putText: (path: string, text: string) => put(path, encodeUtf8(text)),
    *take(least: number): Generator<GrownPart> {
      for (const [path, { parts, size }] of pending) {
        if (size < least) continue
        pending.delete(path)
        yield { path, bytes: concatBytes(...parts) }
      }
    },
  }
}
