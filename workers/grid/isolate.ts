/** The settings of the deployment, read once for each isolate. */

import { type GridSettings, readGridSettings } from '#grid/settings.ts'
import type { GridEnv } from '#objects/grid/env.ts'

const isolates = new WeakMap<GridEnv, GridSettings>()

/**
 * Reads the settings once for every environment that this isolate is given, which is one.
 *
 * @throws GridError invalid_settings when a setting is wrong, at every request until the deployment is put right.
 */
export function findSettings(env: GridEnv): GridSettings {
  const known = isolates.get(env)
  if (known !== undefined) return known
  const settings = readGridSettings({ ...env })
  isolates.set(env, settings)
  return settings
}
