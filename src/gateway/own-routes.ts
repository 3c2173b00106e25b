/** The routes of the gateway beside the operations: their names, their purposes and their answers. */

import type { Schema } from '../base/json.ts'
import { catalogue } from '../streamnet/catalogue.ts'
import answers from './contract/schemas.json' with { type: 'json' }
import { schemaOfType } from './schema.ts'

/** A route of the gateway. */
export interface Route {
  readonly method: 'get' | 'post' | 'delete'
  /** Below the base path, parameters in braces. */
  readonly path: string
}

/** The answer of a route: `{"result": ...}`, other JSON, or text. */
export type OwnAnswer =
  | { readonly result: Schema }
  | { readonly json: Schema }
  | { readonly text: 'text/plain' | 'text/event-stream' }

/** A route that is not an operation. */
export interface OwnRoute extends Route {
  readonly id: string
  readonly about: string
  readonly answer: OwnAnswer
  /** Names of its parameters in the query. */
  readonly query?: readonly string[]
  /** True when it needs no token. */
  readonly isOpen?: true
}

const event = catalogue.find(({ name }) => name === 'get_transaction_event')?.result ?? 'void'

/** A transaction with its event as the catalogue describes it. */
const transaction: Schema = {
  ...answers.Transaction,
  properties: { ...answers.Transaction.properties, event: { anyOf: [schemaOfType(event, 'out'), { type: 'null' }] } },
}

/** Declares a route by its method. */
const declare = (method: Route['method']) => (path: string, rest: Omit<OwnRoute, keyof Route>) => ({
  method,
  path,
  ...rest,
})
const get = declare('get')
const post = declare('post')
const remove = declare('delete')

const result = (schema: Schema): OwnAnswer => ({ result: schema })
const progress = result(answers.Job)
const job = '/jobs/{job_id}'

/** Declares an event stream, and the tickets that open it. */
function events(path: string, name: string, about: string, query: readonly string[]): readonly OwnRoute[] {
  return [
    get(`${path}/events`, {
      id: `watch_${name}`,
      about: `${about}, as Server-Sent Events; Last-Event-ID resumes.`,
      answer: { text: 'text/event-stream' },
      query: [...query, 'ticket'],
    }),
    post(`${path}/events/ticket`, {
      id: `create_${name}_ticket`,
      about: 'A ticket that opens this event stream once within a minute, for a browser that cannot send a header.',
      answer: result(answers.Ticket),
      query,
    }),
  ]
}

/** The routes beside the operations. */
export const ownRoutes: readonly OwnRoute[] = [
  get('', { id: 'index', about: 'Lists every operation.', answer: { json: answers.Index }, isOpen: true }),
  get('/openapi.json', { id: 'openapi', about: 'This document.', answer: { json: { type: 'object' } }, isOpen: true }),
  ...events('/streams/{data_provider}/{stream_id}', 'stream', 'New records of a stream by height', [
    'from',
    'last_event_id',
  ]),
  ...events('/blocks', 'blocks', 'New blocks by height', ['last_event_id']),
  ...events('/markets/{query_id}', 'market', 'A market and its book, now and after each change', ['last_event_id']),
  get('/blocks', {
    id: 'list_blocks',
    about: 'Blocks, newest first; `next` begins the page after.',
    answer: result(answers.Blocks),
    query: ['before', 'limit'],
  }),
  get('/blocks/{height}', { id: 'get_block', about: 'A block with its transactions.', answer: result(answers.Block) }),
  get('/transactions', {
    id: 'list_transactions',
    about: 'Transactions of the newest blocks with decoded payloads, newest first; a page may be short.',
    answer: result(answers.Transactions),
    query: ['before', 'limit'],
  }),
  get('/transactions/{hash}', {
    id: 'get_transaction',
    about: 'A transaction with its decoded payload, its outcome and its recorded fee.',
    answer: result(transaction),
  }),
  get('/metrics', { id: 'metrics', about: 'Metrics of the gateway for Prometheus.', answer: { text: 'text/plain' } }),
  get('/jobs', {
    id: 'list_jobs',
    about: 'The newest bulk insertions.',
    answer: result({ type: 'array', items: answers.Job }),
  }),
  get(job, { id: 'get_job', about: 'The progress of a bulk insertion.', answer: progress }),
  get(`${job}/tx_hashes`, {
    id: 'get_job_tx_hashes',
    about: 'Hashes of its transactions in chunk order.',
    answer: result(answers.Hashes),
    query: ['limit', 'offset'],
  }),
  remove(job, { id: 'cancel_job', about: 'Ends it before its end; what is broadcast stays.', answer: progress }),
  post(`${job}/resume`, { id: 'resume_job', about: 'Takes a failed one up again where it stopped.', answer: progress }),
]
