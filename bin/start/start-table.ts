/** Variables of `sluice start` and nothing else: where it keeps state, what it loads, ports that have no other name. */

import { bounded, type Reader, reader, text, variable } from '#base/variables.ts'

/** Hosts separated by commas. */
const hosts: Reader<readonly string[]> = reader([], 'host names, separated by commas, or *', (value) => {
  const list = value.split(',').map((host) => host.trim())
  return list.every((host) => host === '*' || /^[\w.:[\]-]+$/.test(host)) ? list : null
})

const folder = (fallback: string): Reader<string> => ({ ...text(fallback), expected: 'a path', keepsEmpty: false })

/** The table. `docs/settings.md` prints it. No Worker reads it. */
export const startVariables = {
  SLUICE_STATE: variable(folder('.sluice')),
  SLUICE_CONFIG: variable(folder('')),
  SLUICE_NODE_PORT: variable(bounded(8484, 0, 65_535)),
  SLUICE_ADMIN_PORT: variable(bounded(8485, 0, 65_535)),
  SLUICE_ALLOWED_HOSTS: variable(hosts),
} as const
