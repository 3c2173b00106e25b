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
  properties: {
    ...answers.Transaction.properties,
    event: { anyOf: [schemaOfType(event, 'out'), { type: 'null' }] },
  },
}

/** The routes beside the operations. */
export const ownRoutes: readonly OwnRoute[] = [
  {
    method: 'get',
    path: '',
    id: 'index',
    about: 'Lists every operation.',
    answer: { json: answers.Index },
    isOpen: true,
  },
  {
    method: 'get',
    path: '/openapi.json',
    id: 'openapi',
    about: 'This document.',
    answer: { json: { type: 'object' } },
    isOpen: true,
  },
  {
    method: 'get',
    path: '/streams/{data_provider}/{stream_id}/events',
    id: 'watch_stream',
    about: 'New records of a stream by height, as Server-Sent Events; Last-Event-ID resumes.',
    query: ['from', 'last_event_id', 'ticket'],
    answer: { text: 'text/event-stream' },
  },
  {
    method: 'post',
    path: '/streams/{data_provider}/{stream_id}/events/ticket',
    id: 'create_stream_ticket',
    about: 'A ticket that opens this event stream once within a minute, for a browser that cannot send a header.',
    query: ['from', 'last_event_id'],
    answer: { result: answers.Ticket },
  },
  {
    method: 'get',
    path: '/blocks',
    id: 'list_blocks',
    about: 'Blocks, newest first; `next` is where the page after begins.',
    query: ['before', 'limit'],
    answer: { result: answers.Blocks },
  },
  {
    method: 'get',
    path: '/blocks/{height}',
    id: 'get_block',
    about: 'A block with its transactions.',
    answer: { result: answers.Block },
  },
  {
    method: 'get',
    path: '/transactions',
    id: 'list_transactions',
    about: 'Transactions of the newest blocks with decoded payloads, newest first; a page may be short.',
    query: ['before', 'limit'],
    answer: { result: answers.Transactions },
  },
  {
    method: 'get',
    path: '/transactions/{hash}',
    id: 'get_transaction',
    about: 'A transaction with its decoded payload, its outcome and its recorded fee.',
    answer: { result: transaction },
  },
  {
    method: 'get',
    path: '/metrics',
    id: 'metrics',
    about: 'Metrics of the gateway for Prometheus.',
    answer: { text: 'text/plain' },
  },
  {
    method: 'get',
    path: '/jobs',
    id: 'list_jobs',
    about: 'The newest bulk insertions.',
    answer: { result: { type: 'array', items: answers.Job } },
  },
  {
    method: 'get',
    path: '/jobs/{job_id}',
    id: 'get_job',
    about: 'The progress of a bulk insertion.',
    answer: { result: answers.Job },
  },
  {
    method: 'get',
    path: '/jobs/{job_id}/tx_hashes',
    id: 'get_job_tx_hashes',
    about: 'The hashes of its transactions in the order of its chunks.',
    query: ['limit', 'offset'],
    answer: { result: answers.Hashes },
  },
  {
    method: 'delete',
    path: '/jobs/{job_id}',
    id: 'cancel_job',
    about: 'Ends it before its end; what is broadcast stays.',
    answer: { result: answers.Job },
  },
  {
    method: 'post',
    path: '/jobs/{job_id}/resume',
    id: 'resume_job',
    about: 'Takes a failed one up again where it stopped.',
    answer: { result: answers.Job },
  },
]
