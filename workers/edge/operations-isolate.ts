/** State of one isolate between requests: the settings that all surfaces share. */

import { type OperationsSettings, readOperationsSettings } from '#edge/settings.ts'

const isolates = new WeakMap<object, OperationsSettings>()

/** Settings with everything off, for a deployment whose own make no sense: its health says so. */
const off = readOperationsSettings({})

/** Reads the settings once for every environment that this isolate is given. */
export function operationsOf(env: object): OperationsSettings {
  const known = isolates.get(env)
  if (known !== undefined) return known
  const settings = readOrOff(env)
  isolates.set(env, settings)
  return settings
}

function readOrOff(env: object): OperationsSettings {
  try {
    return readOperationsSettings({ ...env })
  } catch {
    return off
  }
}
