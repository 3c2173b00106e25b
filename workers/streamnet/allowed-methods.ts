/** The methods that a path of the gateway takes, for answers to any other. */

import { TrieRouter } from 'hono/router/trie-router'
import { basePath, routes } from '#gateway/routes.ts'

/** Methods by path; the surface's own router cannot tell operations that are read from those that are not. */
const methodsByPath = new TrieRouter<string>()
for (const { method, path } of routes()) {
  methodsByPath.add('ALL', `${basePath}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`, method.toUpperCase())
}

/** The methods of a path of the gateway; empty for an unknown path. HEAD comes with GET. */
export function allowedMethods(address: string): readonly string[] {
  const methods = methodsByPath.match('ALL', new URL(address).pathname)[0].map(([method]) => method)
  return [...new Set(methods.includes('GET') ? ['GET', 'HEAD', ...methods] : methods)]
}
