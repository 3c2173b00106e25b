/** The routes of the gateway beside the operations: what they are called, what they are for, and what they answer. */

import type { Schema } from '../base/json.ts'
import { catalogue } from '../streamnet/catalogue.ts'
import answers from './contract/schemas.json'
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
const row =
  (method: Route['method']) =>
  (path: string, id: string, about: string, answer: OwnAnswer, more: Pick<OwnRoute, 'query' | 'isOpen'> = {}) => ({
    method,
    path,
    id,
    about,
    answer,
    ...more,
  })
const get = row('get')
const post = row('post')
const remove = row('delete')

const result = (schema: Schema): OwnAnswer => ({ result: schema })
const job = '/jobs/{job_id}'

/** Declares an event stream, and the tickets that open it. */
function events(path: string, name: string, about: string, query: readonly string[]): readonly OwnRoute[] {
  const ticketAbout =
    'A ticket that opens this event stream once within a minute, for a browser that cannot send a header.'
  return [
    get(
      `${path}/events`,
      `watch_${name}`,
      `${about}, as Server-Sent Events; Last-Event-ID resumes.`,
      { text: 'text/event-stream' },
      { query: [...query, 'ticket'] },
    ),
    post(`${path}/events/ticket`, `create_${name}_ticket`, ticketAbout, result(answers.Ticket), { query }),
  ]
}

/** The routes beside the operations. */
export const ownRoutes: readonly OwnRoute[] = [
  get('', 'index', 'Lists every operation.', { json: answers.Index }, { isOpen: true }),
  get('/openapi.json', 'openapi', 'This document.', { json: { type: 'object' } }, { isOpen: true }),
  ...events('/streams/{data_provider}/{stream_id}', 'stream', 'New records of a stream by height', [
    'from',
    'last_event_id',
  ]),
  ...events('/blocks', 'blocks', 'New blocks by height', ['last_event_id']),
  ...events('/markets/{query_id}', 'market', 'A market and its book, now and after each change', ['last_event_id']),
  get('/blocks', 'list_blocks', 'Blocks, newest first; `next` begins the page after.', result(answers.Blocks), {
    query: ['before', 'limit'],
  }),
  get('/blocks/{height}', 'get_block', 'A block with its transactions.', result(answers.Block)),
  get(
    '/transactions',
    'list_transactions',
    'Transactions of the newest blocks with decoded payloads, newest first; a page may be short.',
    result(answers.Transactions),
    { query: ['before', 'limit'] },
  ),
  get(
    '/transactions/{hash}',
    'get_transaction',
    'A transaction with its decoded payload, its outcome and its recorded fee.',
    result(transaction),
  ),
  get('/metrics', 'metrics', 'Metrics of the gateway for Prometheus.', { text: 'text/plain' }),
  get('/jobs', 'list_jobs', 'The newest bulk insertions.', result({ type: 'array', items: answers.Job })),
  get(job, 'get_job', 'The progress of a bulk insertion.', result(answers.Job)),
  get(`${job}/tx_hashes`, 'get_job_tx_hashes', 'Hashes of its transactions in chunk order.', result(answers.Hashes), {
    query: ['limit', 'offset'],
  }),
  remove(job, 'cancel_job', 'Ends it before its end; what is broadcast stays.', result(answers.Job)),
  post(`${job}/resume`, 'resume_job', 'Takes a failed one up again where it stopped.', result(answers.Job)),
]
