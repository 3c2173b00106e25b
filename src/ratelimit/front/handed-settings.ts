/** Settings that a front decides by: a service hands them over as texts, and a front reads them as the service does. */

import { type Environment, variableText } from '../../base/variables.ts'
import { type SettingName, settingTable } from '../setting-table.ts'
import { readDecisionSettings, type Settings } from '../settings.ts'

// The table is a literal, so its keys are all of these names.
const handed = (Object.keys(settingTable) as SettingName[]).filter((name) => settingTable[name].isHanded)

/** The texts of the settings that decisions depend on, under every spelling that an environment has. */
export function handOverSettings(environment: Environment): Readonly<Record<string, string>> {
  const texts: Record<string, string> = {}
  for (const name of handed) {
    for (const spelling of [name, ...settingTable[name].aliases]) {
      const text = variableText(environment[spelling])
      if (text !== undefined) texts[spelling] = text
    }
  }
  return texts
}

/**
 * Reads what a service has handed over.
 *
 * @throws RatelimitError as `readDecisionSettings` does.
 */
export function readHandedSettings(texts: Readonly<Record<string, string>>): Settings {
  const known = new Set(handed.flatMap((name) => [name, ...settingTable[name].aliases]))
  return readDecisionSettings(Object.fromEntries(Object.entries(texts).filter(([name]) => known.has(name))))
}
