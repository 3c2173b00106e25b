/** Mapping files of statistics: the reference's own passes, every other is named. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { assertDefaultMapping } from '#bin/start/prometheus-mapper.ts'
import { makeFolder } from '../support/folder.ts'

const folder = makeFolder()

const limits = ['near_limit', 'over_limit', 'total_hits', 'within_limit', 'shadow_mode']
/** The metrics of the reference's default mapping, in its order. */
const names = [
  ...limits.map((name) => `ratelimit_service_rate_limit_${name}`),
  ...limits.map((name) => `ratelimit_service_rate_limit_${name}`),
  'ratelimit_service_should_rate_limit_error',
  'ratelimit_service_total_requests',
  'ratelimit_service_response_time_seconds',
  'ratelimit_service_config_load_success',
  'ratelimit_service_config_load_error',
]

function mapping(metrics: readonly string[]): string {
  const path = join(folder, 'conf.yaml')
  writeFileSync(path, `mappings:\n${metrics.map((name, at) => `  - match: "m${at}"\n    name: "${name}"\n`).join('')}`)
  return path
}

describe('assertDefaultMapping()', () => {
  it('takes the mapping of the reference, no file, and a file that is not there', () => {
    for (const path of [mapping(names), '', join(folder, 'none.yaml')]) {
      expect(() => assertDefaultMapping(path)).not.toThrow()
    }
  })

  it('names the metric that is not built in', () => {
    expect(() => assertDefaultMapping(mapping([...names, 'my_hits']))).toThrow(
      /which maps to "my_hits", expected the 15/,
    )
  })

  it('names the file that is not YAML', () => {
    const path = join(folder, 'broken.yaml')
    writeFileSync(path, 'mappings: [')
    expect(() => assertDefaultMapping(path)).toThrow(
      `Cannot start: PROMETHEUS_MAPPER_YAML names "${path}", which is not YAML: `,
    )
  })

  it.each([
    ['a part of the mapping', () => mapping(names.slice(1)), 'has 14 mappings'],
    ['a file that is no mapping', () => mapping([]), 'has 0 mappings'],
  ])('refuses %s', (_, path, state) => {
    expect(() => assertDefaultMapping(path())).toThrow(state)
  })
})
