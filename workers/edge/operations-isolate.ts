/** State of one isolate between requests: the settings that all surfaces share. */

import { memo } from '#base/memo.ts'
import { readOperationsSettings } from '#edge/settings.ts'

/** Settings with everything off, for a deployment whose own cannot be read: its health says so. */
const off = readOperationsSettings({})

/** Reads the settings once for every environment that this isolate is given. */
export const operationsOf = memo((env: object) => {
  try {
    return readOperationsSettings({ ...env })
  } catch {
    return off
  }
})
