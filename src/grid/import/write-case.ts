/** Forms in which a case is written, by name. */

import { nearest } from '../../base/nearest.ts'
import { GridError } from '../errors.ts'
import type { CaseTables } from '../network/case-tables.ts'
import { writeMatpower } from './write-matpower.ts'
import { writePandapower } from './write-pandapower.ts'

/** One form: its content type, and its writer. */
interface CaseFormat {
  readonly type: string
  readonly write: (tables: CaseTables) => string
}

const formats: Readonly<Record<string, CaseFormat>> = {
  tables: { type: 'application/json', write: (tables) => `${JSON.stringify(tables, null, 2)}\n` },
  matpower: { type: 'text/plain', write: writeMatpower },
  pandapower: { type: 'application/json', write: writePandapower },
}

/**
 * Finds a form by its name.
 *
 * @throws GridError invalid_request when there is none; the message names the nearest one.
 */
export function findFormat(name: string): CaseFormat {
  const format = Object.hasOwn(formats, name) ? formats[name] : undefined
  if (format !== undefined) return format
  const near = nearest(name, Object.keys(formats))
  const right = near === undefined ? `expected ${Object.keys(formats).join(', ')}` : `perhaps ${near}`
  throw new GridError('invalid_request', `Cannot write case: "${name.slice(0, 64)}" is not a form, ${right}`)
}
