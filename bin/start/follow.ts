/** Follows the runtime directory while the service runs: what changes there is pushed, a mistake changes nothing. */

import { messageOf } from '#base/errors.ts'
import { changesText, pushFiles, refusalLines, type Service } from '../ratelimit/push.ts'
import { type RuntimeDirectory, readConfigDirectory, watchRuntimeDirectory } from '../ratelimit/runtime-directory.ts'

/**
 * Pushes every change until the signal aborts. A set with mistakes is printed line by line, counted by the service as
 * `config_load_error`, and the last good one stays. One that cannot be read or pushed is tried again until it can, or
 * until another change.
 *
 * @param since - the `fingerprint` of the directory before it was first read.
 * @param say - takes one line for a person.
 */
export async function followRuntimeDirectory(
  source: RuntimeDirectory,
  service: Service,
  options: { readonly signal: AbortSignal; readonly since: string; readonly say: (line: string) => void },
): Promise<void> {
  const { signal, since, say } = options
  await watchRuntimeDirectory(source, () => pushChange(source, service, say), {
    signal,
    since,
    onFailure: (error) => say(`Configuration of ${source.directory} not loaded: ${messageOf(error)}`),
  })
}

async function pushChange(source: RuntimeDirectory, service: Service, say: (line: string) => void): Promise<void> {
  const result = await pushFiles(service, await readConfigDirectory(source))
  if (result.kind === 'accepted')
    say(`Configuration of ${source.directory}: revision ${result.revision} runs${changesText(result.changes)}`)
  if (result.kind === 'refused') {
    say(`Configuration of ${source.directory} refused, the last good one stays:`)
    for (const line of refusalLines(result)) say(`  ${line}`)
  }
}
