/** `sluice grid convert`: a grid from one format to another, without a service. */

import { readFileSync, writeFileSync } from 'node:fs'
import { messageOf } from '#base/errors.ts'
import { doAtOnce } from '#base/slices.ts'
import { importCase } from '#grid/import/import-case.ts'
import { writeMatpower } from '#grid/import/write-matpower.ts'
import { writePandapower } from '#grid/import/write-pandapower.ts'
import type { CaseTables } from '#grid/network/case-tables.ts'
import { parseCommandLine } from '../command-line.ts'

const writers: Readonly<Record<string, (tables: CaseTables) => string>> = {
  tables: (tables) => `${JSON.stringify(tables, null, 2)}\n`,
  matpower: writeMatpower,
  pandapower: writePandapower,
}

const text = { type: 'string' } as const
const options = { file: text, to: { ...text, default: 'tables' }, name: text, frequency: text, output: text } as const

/** Writes the grid, and to the standard error what is not as in the file. @returns the exit code: 2 where something is wrong. */
export function convertCase(args: readonly string[]): number {
  try {
    const { values } = parseCommandLine('Cannot convert', { args: [...args], options })
    const { file, to, name, frequency, output } = values
    const write = writers[to]
    if (file === undefined) throw new Error('Cannot convert: there is no --file, expected --file CASE')
    if (write === undefined) {
      throw new Error(`Cannot convert: --to is "${to}", expected ${Object.keys(writers).join(', ')}`)
    }
    const { tables, warnings } = doAtOnce(
      importCase(readFileSync(file, 'utf8'), {
        ...(name !== undefined && { name }),
        ...(frequency !== undefined && { f0Hz: readFrequency(frequency) }),
      }),
    )
    for (const warning of warnings) console.error(`warning: ${warning}`)
    if (output === undefined) process.stdout.write(write(tables))
    else writeFileSync(output, write(tables))
    return 0
  } catch (error) {
    console.error(messageOf(error))
    return 2
  }
}

function readFrequency(written: string): number {
  const value = Number(written)
  if (value >= 16 && value <= 70) return value
  throw new Error(`Cannot convert: --frequency is "${written}", expected hertz from 16 to 70`)
}
