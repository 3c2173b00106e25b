/** The gateway's OpenAPI 3.1 document, made from the same entries as its routes. */

import type { Json } from '../base/json.ts'
import { entries, type GatewayEntry, insertAll } from './entries.ts'
import { type Schema, schemaOfParameter, schemaOfRecord, schemaOfType } from './schema.ts'

/** The path of the gateway. */
export const basePath = '/streamnet/v1'

/** A route of the gateway. */
export interface Route {
  readonly method: 'get' | 'post' | 'delete'
  /** Below the base path, parameters in braces. */
  readonly path: string
}

/** The routes beside the operations: what they are called and what they are for. */
const further: readonly (Route & {
  readonly id: string
  readonly about: string
  readonly query?: readonly string[]
})[] = [
  { method: 'get', path: '', id: 'index', about: 'Lists every operation.' },
  { method: 'get', path: '/openapi.json', id: 'openapi', about: 'This document.' },
  {
    method: 'get',
    path: '/streams/{data_provider}/{stream_id}/events',
    id: 'watch_stream',
    about: 'New records of a stream by height, as Server-Sent Events; Last-Event-ID resumes.',
    query: ['from', 'last_event_id', 'ticket'],
  },
  {
    method: 'post',
    path: '/streams/{data_provider}/{stream_id}/events/ticket',
    id: 'create_stream_ticket',
    about:
      'A ticket that opens this event stream once within a minute, for a browser that cannot send a header.',
    query: ['from', 'last_event_id'],
  },
  {
    method: 'get',
    path: '/blocks',
    id: 'list_blocks',
    about: 'Blocks, newest first; `next` is where the page after begins.',
    query: ['before', 'limit'],
  },
  { method: 'get', path: '/blocks/{height}', id: 'get_block', about: 'A block with its transactions.' },
  {
    method: 'get',
    path: '/transactions',
    id: 'list_transactions',
    about: 'Transactions of the newest blocks with decoded payloads, newest first; a page may be short.',
    query: ['before', 'limit'],
  },
  {
    method: 'get',
    path: '/transactions/{hash}',
    id: 'get_transaction',
    about: 'A transaction with its decoded payload, its outcome and its recorded fee.',
  },
  { method: 'get', path: '/metrics', id: 'metrics', about: 'Metrics of the gateway for Prometheus.' },
  { method: 'get', path: '/jobs', id: 'list_jobs', about: 'The newest bulk insertions.' },
  { method: 'get', path: '/jobs/{job_id}', id: 'get_job', about: 'The progress of a bulk insertion.' },
  {
    method: 'get',
    path: '/jobs/{job_id}/tx_hashes',
    id: 'get_job_tx_hashes',
    about: 'The hashes of its transactions in the order of its chunks.',
    query: ['limit', 'offset'],
  },
  {
    method: 'delete',
    path: '/jobs/{job_id}',
    id: 'cancel_job',
    about: 'Ends it before its end; what is broadcast stays.',
  },
  {
    method: 'post',
    path: '/jobs/{job_id}/resume',
    id: 'resume_job',
    about: 'Takes a failed one up again where it stopped.',
  },
]

/** Tells whether an operation may be asked for with GET. */
export function isReadable({ kind }: Pick<GatewayEntry, 'kind'>): boolean {
  return kind === 'view' || kind === 'local'
}

/** Every route of the gateway. */
export function routes(): readonly Route[] {
  const operations = entries.flatMap((entry): readonly Route[] => {
    const path = `/${entry.name}`
    return isReadable(entry)
      ? [
          { method: 'post', path },
          { method: 'get', path },
        ]
      : [{ method: 'post', path }]
  })
  return [...operations, ...further.map(({ method, path }) => ({ method, path }))]
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

/** The document. */
export function describeOpenApi(): Json {
  const paths: Record<string, Record<string, Json>> = {}
  const add = (path: string, method: string, operation: Json) => {
    paths[basePath + path] = { ...paths[basePath + path], [method]: operation }
  }
  for (const entry of entries) {
    add(`/${entry.name}`, 'post', postOf(entry))
    if (isReadable(entry)) add(`/${entry.name}`, 'get', getOf(entry))
  }
  for (const route of further) add(route.path, route.method, furtherOf(route))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Stream network gateway',
      version: '1',
      description:
        'Every operation of the stream network over HTTPS, signed by a key that stays in the gateway.',
    },
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: { Problem: problemSchema },
      responses: { Problem: problemResponse },
    },
  }
}

function postOf(entry: GatewayEntry): Json {
  const { name, about, parameters, kind } = entry
  const isWrite = !isReadable(entry)
  return {
    operationId: name,
    summary: about,
    ...(isWrite && { parameters: [idempotencyKey] }),
    requestBody: {
      required: parameters.some(({ required }) => required),
      content: { 'application/json': { schema: schemaOfRecord(parameters, 'in') } },
    },
    responses: answers(kind === 'job' ? '202' : '200', schemaOfType(entry.result, 'out')),
  }
}

function getOf(entry: GatewayEntry): Json {
  return {
    operationId: `${entry.name}_get`,
    summary: entry.about,
    parameters: entry.parameters.map((parameter) => {
      const schema = schemaOfParameter(parameter, 'in')
      const isStructure = typeof parameter.type === 'object' && !('oneOf' in parameter.type)
      return {
        name: parameter.name,
        in: 'query',
        required: parameter.required,
        ...(isStructure ? { content: { 'application/json': { schema } } } : { schema }),
      }
    }),
    responses: {
      ...answers('200', schemaOfType(entry.result, 'out')),
      304: { description: 'Not changed since the ETag.' },
    },
  }
}

function furtherOf({ path, id, about, query = [] }: (typeof further)[number]): Json {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const inQuery = query.map((name) => ({
    name,
    in: 'query',
    required: false,
    schema: querySchemas[name] ?? { type: 'integer' },
  }))
  const isText = id === 'watch_stream' || id === 'metrics'
  const textType = id === 'metrics' ? 'text/plain' : 'text/event-stream'
  const isOpen = id === 'index' || id === 'openapi'
  const schema: Schema =
    id.includes('job') && !id.startsWith('list') && !id.endsWith('hashes')
      ? schemaOfType(insertAll.result, 'out')
      : {}
  return {
    operationId: id,
    summary: about,
    ...(isOpen && { security: [] }),
    parameters: [...inPath, ...inQuery],
    responses: isText
      ? { 200: { description: about, content: { [textType]: {} } }, default: problemRef }
      : answers('200', schema),
  }
}

function answers(status: string, result: Schema): { readonly [status: string]: Json } {
  const schema = { type: 'object', properties: { result }, required: ['result'] }
  return {
    [status]: { description: 'The result.', content: { 'application/json': { schema } } },
    default: problemRef,
  }
}

/** Parameters of queries that are not whole numbers; identifiers are as `formatEventId()` writes them. */
const querySchemas: Readonly<Record<string, Schema>> = {
  last_event_id: { type: 'string', pattern: '^\\d{1,15}(--?\\d{1,15})?$' },
  ticket: { type: 'string', pattern: '^[0-9a-f]{64}$' },
  before: { type: 'string', pattern: '^\\d{1,15}(-\\d{1,6})?$' },
}

const idempotencyKey: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: { type: 'string', maxLength: 200 },
  description: 'The same key with the same request is done once; its first outcome is answered again.',
}

const problemRef: Json = { $ref: '#/components/responses/Problem' }

const problemSchema: Json = {
  type: 'object',
  required: ['title', 'status', 'detail', 'code'],
  properties: {
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { type: 'string' },
    hint: { type: 'string' },
    mistakes: {
      type: 'array',
      items: { type: 'object', properties: { path: { type: 'string' }, message: { type: 'string' } } },
    },
    data: { type: 'object' },
  },
}

const problemResponse: Json = {
  description: 'A problem (RFC 9457).',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
}
