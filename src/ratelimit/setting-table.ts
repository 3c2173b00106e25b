/** Every environment variable the service knows: how it is read, its default, and what it does at the edge. */

import type { VariableValues } from '../base/variables.ts'
import { additionalSettings } from './setting-table/additions.ts'
import { decisionSettings } from './setting-table/decisions.ts'
import { memcacheSettings } from './setting-table/memcache.ts'
import { redisPerSecondSettings, redisSettings } from './setting-table/redis.ts'
import { ruleSettings } from './setting-table/rules.ts'
import { serverSettings } from './setting-table/server.ts'
import type { SettingRow } from './setting-table/setting-row.ts'
import { statisticsSettings } from './setting-table/statistics.ts'

/**
 * The table, by product name. Durations are kept in milliseconds.
 *
 * `docs/ratelimit.md` prints it, and a test compares the two.
 */
export const settingTable = {
  ...serverSettings,
  ...statisticsSettings,
  ...ruleSettings,
  ...decisionSettings,
  ...redisSettings,
  ...redisPerSecondSettings,
  ...memcacheSettings,
  ...additionalSettings,
} as const satisfies Readonly<Record<string, SettingRow<unknown>>>

/** The product name of a variable. */
export type SettingName = keyof typeof settingTable

/** Every variable's value, typed by its reader. */
export type SettingValues = VariableValues<typeof settingTable>
