/** Exports of a simulation as files. */

import { ask } from '../frame/api.ts'
import { downloadBlob } from '../frame/export.ts'

/** Asks for an export below `/export/` of a simulation's interface, and gives it to the person as a file. */
export async function saveExport(base: string, path: string, name: string): Promise<void> {
  downloadBlob(name, await ask<Blob>('grid', `${base}/export/${path}`, { as: 'blob' }))
}
