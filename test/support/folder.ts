/** Folders of tests, each new and empty. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

/** Makes a folder that is removed when the file of tests is over; with `onTestFinished` when the test is. */
export function makeFolder(onEnd: (remove: () => void) => void = afterAll): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-'))
  onEnd(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
