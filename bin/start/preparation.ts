/** Everything that a start reads and checks before it runs anything. */

import { randomBytes } from 'node:crypto'
import { readSettings } from '#ratelimit/settings.ts'
import { readStoreTls } from '#ratelimit/store-connections.ts'
import { readListener } from '../grpc-front/listener.ts'
import { fingerprint } from '../ratelimit/runtime-directory.ts'
import { readRelayTls } from '../store-relay/tls.ts'
import { configurationSource, readConfiguration } from './configuration.ts'
import { lookAtDatabases } from './databases.ts'
import type { StartOptions } from './options.ts'
import { addressOf, assertPortsFree, listPlaces } from './ports.ts'
import { assertDefaultMapping } from './prometheus-mapper.ts'
import { loadSecrets, type Secrets } from './secrets.ts'
import { openStateFolder } from './state-folder.ts'
import { choosePlacement } from './state-record.ts'

/** Reads and checks the settings, and the files that they name. */
export async function readSources({ config, vars, grpcPort }: Pick<StartOptions, 'config' | 'vars' | 'grpcPort'>) {
  const settings = readSettings(vars, true)
  assertDefaultMapping(settings.PROMETHEUS_MAPPER_YAML)
  const storeTls = readStoreTls(settings)
  const relayTls = storeTls === null ? null : readRelayTls(storeTls)
  const listener = grpcPort === 0 ? null : readListener(settings)
  const source = configurationSource({ config, vars }, settings)
  const since = source.kind === 'runtime' ? await fingerprint(source.directory) : ''
  const files = await readConfiguration(source, { mergeDomains: settings.MERGE_DOMAIN_CONFIG })
  return { settings, relayTls, listener, source, since, files }
}

/** Reads and checks everything, and takes the state folder. */
export async function prepare(options: StartOptions, say: (line: string) => void) {
  const sources = await readSources(options)
  const { source, files } = sources
  for (const line of options.warnings) say(line)
  if (source.kind === 'runtime' && files.length === 0)
    say('The directory of the RUNTIME_ settings has no rules yet: every request passes')
  const places = listPlaces(options)
  const { path: folder, lock } = await openStateFolder(options.persist, say, places.map(addressOf))
  await assertPortsFree(places)
  assertDatabases(folder, say)
  const secrets = loadSecrets(folder)
  const placement = choosePlacement(folder, options.vars.COUNTER_PLACEMENT)
  const tokens = chooseTokens(options, secrets)
  return { ...sources, folder, lock, secrets, placement, tokens }
}

/** A start that was prepared. */
export type Prepared = Awaited<ReturnType<typeof prepare>>

/** @throws Error with a line for each database that must not be opened as it is. */
function assertDatabases(folder: string, say: (line: string) => void): void {
  const { mistakes, warnings } = lookAtDatabases(folder)
  for (const line of warnings) say(line)
  if (mistakes.length > 0) throw new Error(mistakes.join('\n'))
}

/** The tokens of the services, given or kept in the state folder; one that is neither lasts as long as this process. */
function chooseTokens({ vars }: StartOptions, { values }: Secrets) {
  const draw = () => randomBytes(16).toString('hex')
  return {
    ADMIN_TOKEN: vars.ADMIN_TOKEN ?? values.ADMIN_TOKEN,
    GRID_TOKEN: vars.GRID_TOKEN ?? values.GRID_TOKEN,
    STREAMNET_TOKEN: vars.STREAMNET_TOKEN ?? values.STREAMNET_TOKEN,
    STREAMNET_ADMIN_TOKEN: vars.STREAMNET_ADMIN_TOKEN || draw(),
    FIELD_TOKEN: vars.FIELD_TOKEN || draw(),
    FRONT_TOKEN: vars.FRONT_TOKEN || draw(),
  }
}
