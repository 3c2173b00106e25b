/** Globals of a page, which Node lacks, for modules of the console. */

import { vi } from 'vitest'

/** Stubs empty storage and an address; with answers by their paths also `fetch`. `vi.unstubAllGlobals()` ends it. */
export function stubPage(answers?: Readonly<Record<string, () => Response>>): void {
  vi.stubGlobal('sessionStorage', { getItem: () => null })
  vi.stubGlobal('localStorage', { getItem: () => null })
  vi.stubGlobal('location', { host: 'here' })
  if (answers !== undefined) vi.stubGlobal('fetch', async (path: string) => answers[path.split('?')[0] ?? '']?.())
}
