/** `sluice grid convert`: a grid from one format to another, without a service. */

import { readFileSync, writeFileSync } from 'node:fs'
import { messageOf } from '#base/errors.ts'
import { doAtOnce } from '#base/slices.ts'
import { importCase } from '#grid/import/import-case.ts'
import { readFrequency } from '#grid/import/read-grid.ts'
import { findFormat } from '#grid/import/write-case.ts'
import { parseCommandLine } from '../command-line.ts'

const text = { type: 'string' } as const
const options = { file: text, to: { ...text, default: 'tables' }, name: text, frequency: text, output: text } as const

/** Writes the grid, and its differences from the file to the standard error. @returns the exit code: 2 where it cannot. */
export function convertCase(args: readonly string[]): number {
  try {
    const { values } = parseCommandLine('Cannot convert', { args: [...args], options })
    const { file, to, name, frequency, output } = values
    if (file === undefined) throw new Error('Cannot convert: there is no --file, expected --file CASE')
    const { write } = findFormat(to)
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
