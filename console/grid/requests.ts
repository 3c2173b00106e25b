/** Requests to a simulation: orders, and exports as files. `base` is the path of its interface, such as `/api/v1`. */

import { ask } from '../frame/api.ts'
import { downloadBlob } from '../frame/export.ts'

/** Sends an order to a path of the interface, such as `grid/tap`. */
export function order<T = unknown>(base: string, path: string, body?: object): Promise<T> {
  return ask<T>('grid', `${base}/${path}`, { method: 'POST', body })
}

/** Asks for an export below `/export/`, and saves it as a file. */
export async function saveExport(base: string, path: string, name: string): Promise<void> {
  downloadBlob(name, await ask<Blob>('grid', `${base}/export/${path}`, { as: 'blob' }))
}
