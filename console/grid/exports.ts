/** Exports of a simulation as files. */

import { ask } from '../frame/api.ts'
import { downloadBlob } from '../frame/export.ts'

/**
 * Asks for an export and gives it to the person as a file.
 *
 * @param base - The simulation's interface, such as `/api/v1`.
 * @param path - Below `/export/`, with its query.
 * @throws ConsoleError as `ask` does.
 */
export async function saveExport(base: string, path: string, name: string): Promise<void> {
  downloadBlob(name, await ask<Blob>('grid', `${base}/export/${path}`, { as: 'blob' }))
}
