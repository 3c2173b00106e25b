/** Where the settings of a start come from: options before the environment, each checked before anything listens. */

import {
  mistypedVariables,
  unknownVariables,
  type VariableSet,
  variableNames,
} from '../../src/base/variables.ts'
import { nodeVariables } from '../../src/devnode/setting-table.ts'
import { parseNodeSettings } from '../../src/devnode/settings.ts'
import { gatewayVariables, readGatewaySettings } from '../../src/gateway/settings.ts'
import { gridVariables, readGridSettings } from '../../src/grid/settings.ts'
import { ratelimitVariables, readSettings } from '../../src/ratelimit/settings.ts'

type Texts = Readonly<Record<string, string>>

/** The settings of every surface. */
export const allVariables: readonly VariableSet[] = [
  ratelimitVariables,
  { tables: [gridVariables] },
  { tables: [gatewayVariables, nodeVariables] },
]

/** Settings by name, and what is odd about them and stops nothing. */
export interface GatheredSettings {
  readonly vars: Texts
  readonly warnings: readonly string[]
}

/** Names that are the product's own: a slip in one of them cannot be another program's variable. */
const ownPrefix = /^(?:GRID|STREAMNET)_/i

/**
 * Puts together the settings of `--var` and those of the environment that have a known name. An option wins over
 * every spelling of its variable in the environment.
 *
 * A mistyped name is an error as an option and with a prefix of ours; in the environment other programs have their
 * own names, so that any other one that is like a setting's is a warning.
 *
 * @throws Error with one line for each mistake: unknown names, and values of any surface that make no sense.
 */
export function gatherSettings(given: Texts, environment: NodeJS.ProcessEnv): GatheredSettings {
  const slips = mistypedVariables(environment, allVariables)
  const [refused, warnings] = [slips.filter(isOwn), slips.filter((line) => !isOwn(line))]
  const unknown = unknownVariables(given, allVariables).map(
    ({ name, near }) =>
      `Cannot start: --var ${name} is not a setting, ${near === undefined ? 'docs/settings.md lists them' : `perhaps ${near}`}`,
  )
  const vars = { ...fromEnvironment(given, environment), ...given }
  const mistakes = [...unknown, ...refused, ...unreadable(vars)]
  if (mistakes.length > 0) throw new Error(mistakes.join('\n'))
  return { vars, warnings }
}

function isOwn(line: string): boolean {
  return ownPrefix.test(line.replace('Cannot read settings: ', ''))
}

function fromEnvironment(given: Texts, environment: NodeJS.ProcessEnv): Texts {
  const overridden = new Set(Object.keys(given).flatMap(spellingsOf))
  const known = new Set(allVariables.flatMap(variableNames))
  const isKnown = (name: string) => known.has(name) || allVariables.some(({ family }) => family?.test(name))
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value !== undefined && isKnown(name) && !overridden.has(name) ? [[name, value]] : [],
    ),
  )
}

/** All names of the variable that has this one. */
function spellingsOf(name: string): readonly string[] {
  const rows = allVariables.flatMap(({ tables }) => tables.flatMap((table) => Object.entries(table)))
  const row = rows.find(([own, { aliases }]) => own === name || aliases.includes(name))
  return row === undefined ? [name] : [row[0], ...row[1].aliases]
}

/** The settings of the rate limiter on this machine, whose stores can be reached through the relay. */
function readOwnSettings(vars: Texts): void {
  readSettings(vars, true)
}

function unreadable(vars: Texts): readonly string[] {
  const readers = [readOwnSettings, readGridSettings, readGatewaySettings, parseNodeSettings]
  const lines = readers.flatMap((read) => {
    try {
      read(vars)
      return []
    } catch (error) {
      return [error instanceof Error ? error.message : String(error)]
    }
  })
  return [...new Set(lines)]
}
