/** Settings of a start: options before the environment, each checked before anything listens. */

import { messageOf } from '#base/errors.ts'
import { mistypedVariables, unknownVariables, variableNames, weakTokens } from '#base/variables.ts'
import { gateWarnings } from '../settings/gate.ts'
import { sections } from '../settings/sections.ts'
import { isMadeSecret } from './secrets.ts'

type Texts = Readonly<Record<string, string>>

/** Names that are the product's own: a slip in one of them cannot be another program's variable. */
const ownPrefix = /^(?:SLUICE|GRID|STREAMNET)_/i

/**
 * Puts together the settings of `--var` and those of the environment that have a known name. An option wins over every
 * spelling of its variable in the environment.
 *
 * A mistyped name is an error as an option and with a prefix of ours; in the environment other programs have their own
 * names, so that any other that looks like a misspelled setting is a warning.
 */
export function gatherSettings(given: Texts, environment: NodeJS.ProcessEnv) {
  const slips = mistypedVariables(environment, sections)
  const warnings = slips.filter((line) => !isOwn(line))
  const unknown = unknownVariables(given, sections).map(
    ({ name, near }) =>
      `Cannot start: --var ${name} is not a setting, ${near === undefined ? 'docs/settings.md lists them' : `perhaps ${near}`}`,
  )
  const vars = { ...fromEnvironment(given, environment), ...given }
  const weak = weakTokens(vars, sections).map((line) => `Cannot start: ${line}`)
  const mistakes = [...unknown, ...slips.filter(isOwn), ...unreadable(vars), ...weak]
  if (mistakes.length > 0) throw new Error(mistakes.join('\n'))
  return { vars, warnings: [...warnings, ...gateWarnings(vars)] }
}

function isOwn(line: string): boolean {
  return ownPrefix.test(line.replace('Cannot read settings: ', ''))
}

/** Takes the known settings; an empty value of a secret that the first start makes counts as not set. */
function fromEnvironment(given: Texts, environment: NodeJS.ProcessEnv): Texts {
  const overridden = new Set(Object.keys(given).flatMap(listSpellings))
  const known = new Set(sections.flatMap(variableNames))
  const isKnown = (name: string) => known.has(name) || sections.some(({ family }) => family?.test(name))
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value !== undefined && !(value === '' && isMadeSecret(name)) && isKnown(name) && !overridden.has(name)
        ? [[name, value]]
        : [],
    ),
  )
}

/** All names of the variable that has this one. */
function listSpellings(name: string): readonly string[] {
  const rows = sections.flatMap(({ tables }) => tables.flatMap((table) => Object.entries(table)))
  const row = rows.find(([own, { aliases }]) => own === name || aliases.includes(name))
  return row === undefined ? [name] : [row[0], ...row[1].aliases]
}

function unreadable(vars: Texts): readonly string[] {
  const lines = sections.flatMap(({ read }) => {
    try {
      read(vars)
      return []
    } catch (error) {
      return [messageOf(error)]
    }
  })
  return [...new Set(lines)]
}
