/** The interface in OpenAPI 3.1, made from the same table that the routes are made from. */

import { toBodySchema } from '../../src/grid/interface/body-mistakes.ts'
import { bodyShapes, simulationName } from '../../src/grid/interface/requests.ts'
import { type Route, routes } from './routes.ts'

const text = { type: 'string' } as const
const integer = { type: 'integer' } as const
const number = { type: 'number' } as const
const boolean = { type: 'boolean' } as const
const list = { type: 'array' } as const

function object(properties: Readonly<Record<string, unknown>>, required: readonly string[] = []) {
  return { type: 'object', properties, required, additionalProperties: true }
}

const reference = (shape: string) => ({ $ref: `#/components/schemas/${shape}` })

const simulation = {
  sim_running: boolean,
  session_id: text,
  uptime_s: integer,
  total_incidents: integer,
  attacked: integer,
  integrations: { type: 'object', additionalProperties: boolean },
}

const counters = { total_packets: integer, modified_packets: integer, dropped_packets: integer }

/** The shapes that the contract names, and an open object for the others. */
const schemas: Readonly<Record<string, unknown>> = {
  Simulation: object(simulation, Object.keys(simulation)),
  Status: object({ ...simulation, tool: text, version: text, timestamp: number, auth: boolean }, [
    'tool',
    'version',
    'timestamp',
    'auth',
  ]),
  Incident: object(
    {
      id: { type: 'string', minLength: 8, maxLength: 8 },
      timestamp: number,
      timestamp_iso: text,
      protocol: text,
      src_ip: text,
      dst_ip: text,
      attack_type: text,
      status: { enum: ['clean', 'attacked', 'dropped', 'invalid'] },
      severity: { enum: ['INFO', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] },
      description: text,
      original_val: { type: 'object' },
      modified_val: { type: 'object' },
    },
    ['id', 'timestamp', 'timestamp_iso', 'protocol', 'attack_type', 'status'],
  ),
  PacketSummary: object({
    timestamp: number,
    protocol: text,
    status: text,
    attack: text,
    src: text,
    dst: text,
    len: integer,
  }),
  Incidents: object(
    { count: integer, total: integer, incidents: { ...list, items: reference('Incident') } },
    ['count', 'total', 'incidents'],
  ),
  Packets: object({ count: integer, packets: { ...list, items: reference('PacketSummary') } }, [
    'count',
    'packets',
  ]),
  Topology: object({ nodes: list, links: list }),
  AttacksSnapshot: object({ ...counters, active: list }, Object.keys(counters)),
  AttackEnableResult: object({ success: boolean, attack_type: text, error: text, errors: list }, ['success']),
  AttackDisableResult: object({ success: boolean, message: text }, ['success']),
  Error: object({ error: text, hint: text }, ['error']),
}

/** Writes the document; `basePath` is where the simulation stands, as the caller reached it. */
export function describeApi(basePath: string, version: string): Readonly<Record<string, unknown>> {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes as readonly Route[]) {
    if (route.isGlobal && basePath !== '/api/v1') continue
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = {
      ...paths[path],
      [route.method.toLowerCase()]: describeRoute(route),
      options: {
        operationId: operationIdOf({ method: 'options', path: route.path }),
        summary: 'Preflight',
        ...(path === route.path ? {} : { parameters: pathParameters(route.path) }),
        security: [],
        responses: {
          204: { description: 'Methods GET, POST, OPTIONS; headers Authorization, Content-Type' },
        },
      },
    }
  }
  const named = routes.map(({ success }) => success.shape)
  const open = named.filter((name): name is string => name !== undefined && !Object.hasOwn(schemas, name))
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
      schemas: { ...schemas, ...Object.fromEntries(open.map((name) => [name, { type: 'object' }])) },
    },
  }
}

function describeRoute(route: Route) {
  const { summary, isPublic, success, statuses } = route
  const error = { content: { 'application/json': { schema: reference('Error') } } }
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
        content: { [success.type]: success.shape === undefined ? {} : { schema: reference(success.shape) } },
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
