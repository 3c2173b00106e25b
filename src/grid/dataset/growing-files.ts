/** Files that grow in memory until their octets are taken. */

import { concatBytes } from '../../base/bytes.ts'
import { encodeUtf8 } from '../../base/utf8.ts'

/** Octets at the end of a file that grows. */
export interface GrownPart {
  /** Path within the data set; the first part of a path begins the file. */
  readonly path: string
  readonly bytes: Uint8Array
}

/** Starts without a file. */
export function openGrowingFiles() {
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
    /** Takes the octets of each file that has at least so many. */
    *take(least: number): Generator<GrownPart> {
      for (const [path, { parts, size }] of pending) {
        if (size < least) continue
        pending.delete(path)
        yield { path, bytes: concatBytes(...parts) }
      }
    },
  }
}

/** Files that grow in memory. */
export type GrowingFiles = ReturnType<typeof openGrowingFiles>
