/** The routes of the gateway: operations by their names, and those beside them. */

import type { Json } from '../base/json.ts'
import { entries, type GatewayEntry } from './entries.ts'
import { ownRoutes, type Route } from './own-routes.ts'

/** The path of the gateway. */
export const basePath = '/streamnet/v1'

/** Tells whether an operation may be asked for with GET. */
export function isReadable({ kind }: Pick<GatewayEntry, 'kind'>): boolean {
  return kind === 'view' || kind === 'local'
}

/** Every route of the gateway. */
export function routes(): readonly Route[] {
  const operations = entries.flatMap((entry): readonly Route[] => {
    const path = `/${entry.name}`
    return [{ method: 'post', path }, ...(isReadable(entry) ? [{ method: 'get', path } as const] : [])]
  })
  return [...operations, ...ownRoutes.map(({ method, path }) => ({ method, path }))]
}

/** The index: every operation with its sentence. */
export function describeGateway(): Json {
  return {
    name: 'sluice stream gateway',
    openapi: `${basePath}/openapi.json`,
    operations: entries.map(({ name, kind, about }) => ({
      name,
      kind,
      methods: isReadable({ kind }) ? ['POST', 'GET'] : ['POST'],
      about,
    })),
  }
}
