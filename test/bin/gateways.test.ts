/** A start takes the variables with which gateways run the reference, as they are. */

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { projectRoot } from '#bin/project.ts'
import { configurationSource } from '#bin/start/configuration.ts'
import { gatherSettings } from '#bin/start/environment.ts'
import { readSettings } from '#ratelimit/settings.ts'

const path = `${projectRoot}/test/vectors/gateways/environments.json`
const { origin: _, ...gateways }: Readonly<Record<string, Readonly<Record<string, string>>>> = JSON.parse(
  readFileSync(path, 'utf8'),
)

test.each(Object.entries(gateways))(
  'gatherSettings() takes the environment of %s without a warning',
  (_name, environment) => {
    const { vars, warnings } = gatherSettings({}, environment)
    expect(warnings).toEqual([])
    const settings = readSettings(vars, true)
    const source = configurationSource({ config: null, vars }, settings)
    expect(source.kind).toBe(environment.CONFIG_TYPE === 'GRPC_XDS_SOTW' ? 'xds' : 'runtime')
  },
)
