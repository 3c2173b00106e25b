/** One row of the table of settings: how a variable is read, and what it does at the edge. */

import { type Reader, type Variable, variable } from '../../base/variables.ts'

/** The reach of a variable: everywhere, only in the local server and tools, or only through its relay to stores. */
export type SettingEffect = 'honoured' | 'local' | 'relayed'

/** One row of the table. */
export interface SettingRow<T> extends Variable<T> {
  readonly effect: SettingEffect
  /** True for a setting that a front decides by: the service hands it over. None is a secret of a store. */
  readonly isHanded: boolean
}

interface RowOptions {
  readonly aliases?: readonly string[]
  readonly isSecret?: boolean
}

/** Gives each row whose name begins with a prefix an alias that begins with another one. */
export function withAliases<Rows extends Readonly<Record<string, SettingRow<unknown>>>>(
  prefix: string,
  other: string,
  rows: Rows,
): Rows {
  const pairs = Object.entries(rows).map(([name, one]) => [name, { ...one, aliases: [name.replace(prefix, other)] }])
  // The names and their readers stay.
  return Object.fromEntries(pairs) as Rows
}

/** Makes a row. */
export function row<T>(reader: Reader<T>, effect: SettingEffect, options: RowOptions = {}): SettingRow<T> {
  return { ...variable(reader, options), effect, isHanded: false }
}

/** Makes a row of a setting that is honoured everywhere, in fronts too. */
export function handed<T>(reader: Reader<T>, options: RowOptions = {}): SettingRow<T> {
  return { ...row(reader, 'honoured', options), isHanded: true }
}
