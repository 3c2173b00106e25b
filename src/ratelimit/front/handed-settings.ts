/** Settings that a front decides by: a service hands them over as texts, and a front reads them as the service does. */

import { type Environment, variableText } from '../../base/variables.ts'
import { type SettingName, settingTable } from '../setting-table.ts'
import { readDecisionSettings, type Settings } from '../settings.ts'

/** Names that are handed over. None is a secret of a store: a front does not reach it. */
const handed: readonly SettingName[] = [
  'LOCAL_CACHE_SIZE_IN_BYTES',
  'NEAR_LIMIT_RATIO',
  'CACHE_KEY_PREFIX',
  'BACKEND_TYPE',
  'STOP_CACHE_KEY_INCREMENT_WHEN_OVERLIMIT',
  'LIMIT_RESPONSE_HEADERS_ENABLED',
  'LIMIT_LIMIT_HEADER',
  'LIMIT_REMAINING_HEADER',
  'LIMIT_RESET_HEADER',
  'LIMIT_REQUEST_HEADERS_ENABLED',
  'LIMIT_REQUEST_LIMIT_HEADER',
  'LIMIT_REQUEST_REMAINING_HEADER',
  'LIMIT_REQUEST_RESET_HEADER',
  'SHADOW_MODE',
  'QUOTA_MODE',
  'RESPONSE_DYNAMIC_METADATA',
  'MERGE_DOMAIN_CONFIG',
  'COUNTER_PLACEMENT',
  'COUNTER_SHARDS',
  'COUNTER_PLACES',
  'COUNTER_TIMEOUT',
  'REDIS_POOL_SIZE',
  'REDIS_TIMEOUT',
  'REDIS_PERSECOND_TIMEOUT',
  'FAILURE_POLICY',
  'LEASES',
  'LEASES_MAX_KEYS',
  'REQUEST_MAX_BODY_BYTES',
  'REQUEST_MAX_DESCRIPTORS',
  'REQUEST_MAX_ENTRIES',
  'REQUEST_MAX_KEY_LENGTH',
  'REQUEST_MAX_VALUE_LENGTH',
  'REQUEST_MAX_DOMAIN_LENGTH',
  'REQUEST_MAX_COMPARISONS',
  'CALLER_TOKENS',
  'CALLER_OVERRIDES',
  'CALLER_REFUNDS',
  'CALLER_MAX_HITS',
  'JSON_REASON_IN_BODY',
  'RULES_MAX_STALENESS',
  'STATS_MAX_NAMES',
  'USAGE_ENABLED',
  'USAGE_RECORD_REQUESTS',
  'DISABLE_STATS',
  'LIMIT_IETF_HEADERS_ENABLED',
  'LIMIT_RETRY_AFTER_ENABLED',
  'SHADOW_OUTCOME_ENABLED',
  'LOG_LEVEL',
  'LOG_FORMAT',
]

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
