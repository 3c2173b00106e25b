/** Health of the service as it reports it. */

import type { RuleBook } from './rule-book.ts'
import type { Settings } from './settings.ts'

/** Tells whether the configuration is healthy: `HEALTHY_WITH_AT_LEAST_ONE_CONFIG_LOADED` asks for one domain. */
export function hasHealthyRules(
  rules: RuleBook | null,
  settings: Pick<Settings, 'HEALTHY_WITH_AT_LEAST_ONE_CONFIG_LOADED'>,
): boolean {
  return !settings.HEALTHY_WITH_AT_LEAST_ONE_CONFIG_LOADED || (rules !== null && rules.domains.size > 0)
}
