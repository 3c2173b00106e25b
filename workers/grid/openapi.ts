/** Describes the interface in OpenAPI 3.1, from the table of routes. */

import answerSchemas from '#grid/contract/schemas.json' with { type: 'json' }
import { toBodySchema } from '#grid/interface/body-schema.ts'
import { bodyShapes } from '#grid/interface/body-shapes.ts'
import { simulationName } from '#grid/interface/request-bounds.ts'
import { type DescribedRoute, schemaRef, writeOpenApi } from '../edge/openapi.ts'
import { everyRoute, type Route } from './routes.ts'

/** Writes the document; `basePath` is the path of the simulation, as the caller reached it. */
export function describeApi(basePath: string, version: string): object {
  const described = everyRoute.filter(({ isGlobal }) => !isGlobal || basePath === '/api/v1')
  return writeOpenApi(
    {
      info: { title: 'Grid-security simulation', version, description: 'A solved grid, real frames, live incidents.' },
      servers: [{ url: basePath }],
      security: [{ bearer: [] }],
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } }, schemas: answerSchemas },
    },
    described.flatMap((route) => [describeRoute(route), describePreflight(route)]),
  )
}

function describeRoute(route: Route): DescribedRoute {
  const { path, right, summary, isPublic, success, statuses, query = {}, controlRoomQuery, body } = route
  const shapes = [success.shape, success.controlRoom].flatMap((name) => (name === undefined ? [] : [schemaRef(name)]))
  const schema = shapes.length > 1 ? { schema: { oneOf: shapes } } : shapes[0] && { schema: shapes[0] }
  const isReserved = right !== 'viewer' || controlRoomQuery !== undefined
  const shape = bodyShapes[path]
  return {
    ...describePlace(route.method.toLowerCase() as Lowercase<Route['method']>, path), // the same letters
    summary,
    ...(isPublic && { security: [] }),
    parameters: Object.entries(query).map(([name, description]) => {
      return { name, in: 'query', description, schema: { type: 'string' } }
    }),
    ...(body !== undefined && { body: { type: body, ...(shape !== undefined && { schema: toBodySchema(shape) }) } }),
    answers: {
      200: { description: summary, media: [{ type: success.type, ...schema }] },
      ...Object.fromEntries(
        [...statuses, ...(isReserved ? [403] : [])].map((status) => [
          status,
          { description: `${status}`, media: [error] },
        ]),
      ),
    },
  }
}

const error = { type: 'application/json', schema: schemaRef('Error') }

function describePreflight({ path }: Route): DescribedRoute {
  return {
    ...describePlace('options', path),
    summary: 'Preflight',
    security: [],
    answers: { 204: { description: 'Methods GET, POST, OPTIONS; headers Authorization, Content-Type' } },
  }
}

/** The id is the method and the words of the path: `postAttackEnable`. Names in a path follow one pattern. */
function describePlace(method: DescribedRoute['method'], path: string) {
  const words = path.match(/\w+/g) ?? []
  return {
    method,
    path: path.replace(/:(\w+)/g, '{$1}'),
    id: method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(''),
    names: { type: 'string', pattern: simulationName.source },
  }
}
