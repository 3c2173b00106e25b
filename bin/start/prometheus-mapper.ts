/** The file of PROMETHEUS_MAPPER_YAML: gateways mount the reference's own mapping, which is built in. */

import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { messageOf } from '#base/errors.ts'
import { isRecord } from '#base/json.ts'

const perLimit = ['near_limit', 'over_limit', 'total_hits', 'within_limit', 'shadow_mode'].map(
  (name) => `ratelimit_service_rate_limit_${name}`,
)

/** Metrics of the built-in mapping, by the statistics that become them: one and two keys of a limit, then the rest. */
const builtIn: readonly string[] = [
  ...perLimit,
  ...perLimit,
  'ratelimit_service_should_rate_limit_error',
  'ratelimit_service_total_requests',
  'ratelimit_service_response_time_seconds',
  'ratelimit_service_config_load_success',
  'ratelimit_service_config_load_error',
]

/** Checks that a mapping file asks for the built-in mapping; one that is missing does, as in the reference. */
export function assertDefaultMapping(path: string): void {
  if (path === '') return
  const names = readMetricNames(path)
  if (names === null || names.toSorted().join() === builtIn.toSorted().join()) return
  const other = names.find((name) => !builtIn.includes(name))
  const state = other === undefined ? `has ${names.length} mappings` : `maps to "${other}"`
  throw new Error(
    `Cannot start: PROMETHEUS_MAPPER_YAML names "${path}", which ${state}, expected the ${builtIn.length} mappings of the reference, which are built in: relabel metrics where they are scraped`,
  )
}

/** The metric of each mapping; null where there is no file. */
function readMetricNames(path: string): readonly string[] | null {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    return null
  }
  const document = parseYaml(text, path)
  const mappings: readonly unknown[] = isRecord(document) && Array.isArray(document.mappings) ? document.mappings : []
  return mappings.map((mapping) => (isRecord(mapping) ? String(mapping.name) : ''))
}

function parseYaml(text: string, path: string): unknown {
  try {
    return parse(text)
  } catch (error) {
    const [state] = messageOf(error).split('\n')
    throw new Error(`Cannot start: PROMETHEUS_MAPPER_YAML names "${path}", which is not YAML: ${state}`, {
      cause: error,
    })
  }
}
