/** The catalogue's entries about procedures. */

import { execute, list, optional, record, required, view } from './entry.ts'

const procedure = required('procedure', 'string', "The action's name.")

/** Procedures. */
export const procedures = [
  view(
    'call_procedure',
    [procedure, optional('args', list('argument'), 'Its arguments, null for one left out.')],
    record({ column_names: list('string'), values: list(list('argument')) }),
    'Reads any view action.',
    { action: 'any view action' },
  ),
  execute(
    'execute_procedure',
    [procedure, required('args', list(list('argument')), 'Lists of arguments; the action runs once for each.')],
    'Runs any action, once for each list of arguments, in one transaction.',
    { action: 'any action' },
  ),
]
