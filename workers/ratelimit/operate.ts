/** Finds the operation of the operator plane by path and method, checks the query, and runs it. */

import { IttyRouter } from 'itty-router'
import { nearest } from '#base/nearest.ts'
import { RatelimitError } from '#ratelimit/errors.ts'
import type { Call } from './call.ts'
import type { Operation } from './operation.ts'
import { operations } from './operations.ts'
import { listing } from './operator.ts'
import { rootOf } from './path.ts'
import { plainError } from './plain-answer.ts'

const router = IttyRouter()
for (const operation of operations) {
  router[operation.method]?.(operation.path, ({ params }: { params: { name?: string } }, call: Call) =>
    runOperation(operation, call, params.name),
  )
}

/** Every operation, of any method, at a path below the plane's prefix. */
export function operationsAt(path: string): readonly Operation[] {
  // The router has a route for each operation, in the same order.
  return operations.filter((_, at) => router.routes[at]?.[1].test(path))
}

/** The first segment of a path of the plane, behind the version where it has one: `/v1/usage`. */
export function operatorRootOf(path: string): string {
  return path.startsWith('/v1/') ? `/v1${rootOf(path.slice('/v1'.length))}` : rootOf(path)
}

/** The first segments of paths of the plane. */
export const operatorRoots: ReadonlySet<string> = new Set(
  operations.map(({ path }) => operatorRootOf(path)).filter((root) => root !== '/'),
)

/**
 * Runs the operation of a request; the caller's right to it was checked before.
 *
 * @param path - below the plane's prefix.
 * @returns 405 with `Allow` for a path of another method, 404 with the nearest path for one that does not exist.
 * @throws RatelimitError as the operation does.
 */
export async function operate(call: Call, path: string): Promise<Response> {
  const { method } = call.request
  // The platform leaves out the body of an answer to HEAD.
  const answer: Response | undefined = await router.fetch(
    { method: method === 'HEAD' ? 'GET' : method, url: `http://o${path}` },
    call,
  )
  return answer ?? noSuchOperation(method, path)
}

function runOperation(operation: Operation, call: Call, name = '') {
  if (operation.takesAnyQuery !== true) assertQuery(call.url, operation)
  return operation.run(call, decodeName(name))
}

function assertQuery({ searchParams }: URL, { query = [], method, path }: Operation): void {
  for (const name of searchParams.keys()) {
    if (query.some((known) => known === name)) continue
    const near = nearest(name, query)
    const right = query.length === 0 ? 'it has no query' : `expected ${query.join(', ')}`
    const hint = near === undefined ? right : `did you mean "${near}"? ${right}`
    throw new RatelimitError(
      'malformed_request',
      `Cannot run ${method.toUpperCase()} ${path}: the query has an unknown parameter "${name.slice(0, 40)}"`,
      { hint },
    )
  }
}

function noSuchOperation(method: string, path: string): Response {
  const found = operationsAt(path)
  if (found.length > 0) return wrongMethod(method, path, found)
  const near = nearest(
    path,
    operations.map((operation) => operation.path).filter((known) => known.length > 1),
  )
  const known = listing.map((line) => `${line}\n`).join('')
  const meant = near === undefined ? '' : `did you mean ${near}? `
  return plainError(404, `There is no such operation: ${path}; ${meant}expected one of\n${known}`.trimEnd())
}

function wrongMethod(method: string, path: string, found: readonly Operation[]): Response {
  const methods = found.map((operation) => operation.method.toUpperCase())
  const allowed = methods.flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name])).join(', ')
  return plainError(405, `Cannot ${method} ${path}: expected ${allowed}`, { allow: allowed })
}

function decodeName(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    throw new RatelimitError('malformed_request', `Cannot read the path: "${name}" is not percent-encoded UTF-8`)
  }
}
