/** Every setting there is: the tables of all surfaces with their texts and their readers, one section for each. */

import { type Environment, readVariables, type VariableSet, type VariableTable } from '#base/variables.ts'
import { nodeVariables } from '#devnode/setting-table.ts'
import { parseNodeSettings } from '#devnode/settings.ts'
import { operationsVariables, readOperationsSettings } from '#edge/settings.ts'
import { gatewayVariables, readGatewaySettings } from '#gateway/settings.ts'
import { gridVariables, readGridSettings } from '#grid/settings.ts'
import { settingTable } from '#ratelimit/setting-table.ts'
import { operatorVariables, ratelimitVariables, readSettings } from '#ratelimit/settings.ts'
import { startVariables } from '../start/start-table.ts'
import descriptions from './descriptions.json' with { type: 'json' }

type Texts<Name extends string> = Readonly<Record<Name, string>>

/** The settings of one surface. */
export interface SettingsSection extends VariableSet {
  readonly title: string
  /** The rows of the page; a name that two tables have is one row. */
  readonly table: VariableTable
  /** Purpose of each setting in one line. */
  readonly texts: Texts<string>
  /** Reads all of them and checks them against each other. */
  readonly read: (environment: Environment) => unknown
}

const ratelimitTable = { ...operatorVariables, ...settingTable }

/** The sections in the order of `docs/settings.md`. */
export const sections: readonly SettingsSection[] = [
  {
    title: 'Start',
    table: startVariables,
    tables: [startVariables],
    texts: descriptions.start satisfies Texts<keyof typeof startVariables>,
    read: (environment) => readVariables(startVariables, environment),
  },
  {
    title: 'Rate limit',
    table: ratelimitTable,
    ...ratelimitVariables,
    texts: descriptions.ratelimit satisfies Texts<keyof typeof ratelimitTable>,
    // On this machine stores can be reached through the relay.
    read: (environment) => readSettings(environment, true),
  },
  {
    title: 'Grid',
    table: gridVariables,
    tables: [gridVariables],
    texts: descriptions.grid satisfies Texts<keyof typeof gridVariables>,
    read: readGridSettings,
  },
  {
    title: 'Gateway and development node',
    // The node's row of STREAMNET_CHAIN_ID says more than the gateway's.
    table: { ...gatewayVariables, ...nodeVariables },
    tables: [gatewayVariables, nodeVariables],
    texts: descriptions.streamnet satisfies Texts<keyof typeof gatewayVariables | keyof typeof nodeVariables>,
    read(environment) {
      readGatewaySettings(environment)
      parseNodeSettings(environment)
    },
  },
  {
    title: 'Operations of every surface',
    table: operationsVariables,
    tables: [operationsVariables],
    texts: descriptions.operations satisfies Texts<keyof typeof operationsVariables>,
    read: readOperationsSettings,
  },
]
