/** The `local.*` methods of the operator's port. */

import type { Method } from './method.ts'

/** Methods by their names. */
export const localMethods: Readonly<Record<string, Method>> = {}
