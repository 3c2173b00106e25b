/** Rules that come with a deployment, in the variable `RATELIMIT_RULES`: files for a service that has none yet. */

import { invalidSettings } from '../errors.ts'
import { type ConfigFile, checkFiles, parseFiles } from './compile.ts'

/** Takes YAML documents apart into the files `config.shipped-1` and so on; none for white space. */
export function shippedFiles(text: string): readonly ConfigFile[] {
  return text
    .split(/^---[ \t]*\r?$/m)
    .filter((part) => part.trim() !== '')
    .map((part, at) => ({ key: `config.shipped-${at + 1}`, text: part }))
}

/**
 * Compiles shipped rules, so that a deployment with a mistake in them is not healthy.
 *
 * @throws RatelimitError invalid_settings when the text has a mistake; the message has the first one.
 */
export function assertShipped(text: string, options: { readonly mergeDomains: boolean }): void {
  const files = shippedFiles(text)
  const [mistake] = files.length === 0 ? [] : checkFiles(parseFiles(files), options).mistakes
  if (mistake === undefined) return
  throw invalidSettings(
    `RATELIMIT_RULES has a mistake in line ${mistake.line} of document ${mistake.file.replace('config.shipped-', '')}: ${mistake.message}`,
  )
}
