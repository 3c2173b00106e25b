/** The interface in OpenAPI 3.1, made from the same table that the routes are made from. */

import { type Schemas, text } from '#base/json-schema.ts'
import { toBodySchema } from '#grid/interface/body-mistakes.ts'
import { bodyShapes, simulationName } from '#grid/interface/requests.ts'
import { type Route, routes } from './routes.ts'
import { attackSchemas } from './schemas/attacks.ts'
import { gridSchemas } from './schemas/grid.ts'
import { refTo } from './schemas/parts.ts'
import { recordSchemas } from './schemas/records.ts'
import { simulationSchemas } from './schemas/simulation.ts'
import { studySchemas } from './schemas/studies.ts'

/** The shape of every answer in JSON, by name. */
const schemas: Schemas = {
  ...simulationSchemas,
  ...recordSchemas,
  ...attackSchemas,
  ...gridSchemas,
  ...studySchemas,
}

/** Writes the document; `basePath` is the path of the simulation, as the caller reached it. */
export function describeApi(basePath: string, version: string): Readonly<Record<string, unknown>> {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes as readonly Route[]) {
    if (route.isGlobal && basePath !== '/api/v1') continue
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = {
      ...paths[path],
      [route.method.toLowerCase()]: describeRoute(route),
      options: describePreflight(route),
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Grid-security simulation',
      version,
      description: 'A solved grid, real frames, live incidents.',
    },
    servers: [{ url: basePath }],
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas,
    },
  }
}

function describePreflight({ path }: Route) {
  return {
    operationId: operationIdOf({ method: 'options', path }),
    summary: 'Preflight',
    ...(path.includes(':') ? { parameters: pathParameters(path) } : {}),
    security: [],
    responses: {
      204: { description: 'Methods GET, POST, OPTIONS; headers Authorization, Content-Type' },
    },
  }
}

function describeRoute(route: Route) {
  const { summary, isPublic, success, statuses } = route
  const error = { content: { 'application/json': { schema: refTo('Error') } } }
  const parameters = describeParameters(route)
  return {
    operationId: operationIdOf(route),
    summary,
    ...(isPublic ? { security: [] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...describeBody(route),
    responses: {
      200: {
        description: summary,
        content: { [success.type]: success.shape === undefined ? {} : { schema: refTo(success.shape) } },
      },
      ...Object.fromEntries(statuses.map((status) => [status, { description: `${status}`, ...error }])),
    },
  }
}

/** The method and the words of the path: `postAttackEnable`. */
function operationIdOf({ method, path }: Pick<Route, 'path'> & { readonly method: string }): string {
  const words = path.match(/\w+/g) ?? []
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

function describeParameters({ path, query = {} }: Route) {
  const inQuery = Object.entries(query).map(([name, description]) => ({
    name,
    in: 'query',
    description,
    schema: text,
  }))
  return [...pathParameters(path), ...inQuery]
}

/** Every name in a path is the name of a simulation. */
function pathParameters(path: string) {
  const schema = { ...text, pattern: simulationName.source }
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({ name, in: 'path', required: true, schema }))
}

function describeBody({ path, body }: Route) {
  if (body === undefined) return {}
  const shape = bodyShapes[path]
  const schema = shape === undefined ? {} : { schema: toBodySchema(shape) }
  return { requestBody: { content: { [body]: schema } } }
}
