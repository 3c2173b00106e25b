/** Bounds on all files of a configuration together. Only a new configuration is checked: one that runs keeps running. */

import { encodeUtf8 } from '../../base/utf8.ts'
import type { Mistake } from '../contract/configuration.ts'
import type { ConfigFile, ParsedFile } from './compile.ts'
import type { DescriptorBlock } from './grammar.ts'

/** The most descriptors of a configuration, all levels of all files together. */
export const mostDescriptors = 50_000

/** The most bytes of a configuration, keys and texts of all files together as UTF-8. One call to an object carries 32 MiB. */
export const mostSetBytes = 24_000_000

/** Finds the mistake of a configuration with more than `mostDescriptors`, in the file that exceeds it; null within it. */
export function tooManyDescriptors(files: readonly ParsedFile[]): Mistake | null {
  let count = 0
  for (const { file, result } of files) {
    count += countDescriptors(result.document?.descriptors ?? [])
    if (count > mostDescriptors) {
      const message = `the configuration has more than ${mostDescriptors} descriptors`
      return { file, path: 'descriptors', line: 1, message }
    }
  }
  return null
}

/** Counts descriptors of all levels. */
export function countDescriptors(blocks: readonly DescriptorBlock[]): number {
  return blocks.reduce((sum, block) => sum + 1 + countDescriptors(block.descriptors), 0)
}

/** Finds the mistake of a configuration with more than `mostSetBytes`, in the file that exceeds it; null within it. */
export function tooManyBytes(files: readonly ConfigFile[]): Mistake | null {
  let bytes = 0
  for (const file of files) {
    bytes += encodeUtf8(file.key).length + encodeUtf8(file.text).length
    if (bytes > mostSetBytes) {
      const message = `the configuration has more than ${mostSetBytes} bytes`
      return { file: file.key, path: '', line: 1, message, hint: 'remove files that are not in use' }
    }
  }
  return null
}
