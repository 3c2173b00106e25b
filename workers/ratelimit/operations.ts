/** The operator plane as one table: every operation with its method, path, content and handler. */

import { schemaRef } from '../edge/openapi.ts'
import { fileKeySchema, filesSchema, listingsSchema, revisionSchema } from './bodies.ts'
import * as configuration from './configuration.ts'
import * as counters from './counters.ts'
import * as lists from './lists.ts'
import { describeApi } from './openapi.ts'
import { get, json, type Operation, post, put, remove, text, yaml } from './operation.ts'
import * as operator from './operator.ts'
import * as usage from './usage.ts'

const descriptorQuery = ['key', 'domain', 'entry'] as const
const counterErrors = ['counter_not_found', 'counter_unavailable'] as const
const bodyErrors = ['malformed_request', 'request_too_large'] as const
const changeErrors = [...bodyErrors, 'invalid_rules'] as const
const ofCounter = { query: descriptorQuery, errors: counterErrors }
const ofFiles = { query: [], takes: json(filesSchema), errors: changeErrors }
const ofFile = { query: [], names: fileKeySchema }
const ifNoneMatch = { name: 'If-None-Match', in: 'header', schema: { const: '*' } } as const
const pprof = { type: 'application/octet-stream', schema: { description: 'pprof, gzip; or JSON for Chrome' } }

/** Every operation, in the order in which paths are tried. */
export const operations: readonly Operation[] = [
  get('/', 'listPaths', 'The paths of the operator plane', operator.showListing, text),
  get(
    '/openapi.json',
    'describeApi',
    'This interface in OpenAPI 3.1',
    () => Response.json(describeApi(operations)),
    json({ type: 'object' }),
    { query: [], isOpen: true },
  ),
  get('/rlconfig', 'printRules', 'Every limit that runs, one per line', operator.showRules, text),
  get('/stats', 'printStats', 'Every statistic as name: value', operator.showStats, text),
  get('/metrics', 'printMetrics', 'Every statistic in the Prometheus text format', operator.showMetrics, text),
  get('/debug/pprof/*', 'profile', 'Profiles of the runtime', operator.profile, text, {
    rest: 'profile',
    status: 501,
    hosted: pprof,
    revealsSecrets: true,
  }),
  post(
    '/explain',
    'explainRequest',
    'How a request would be decided and why, counting nothing',
    operator.explainRequest,
    'Explanation',
    {
      query: [],
      takes: json(schemaRef('RateLimitRequest')),
      errors: [...bodyErrors, 'rules_not_loaded', 'counter_unavailable'],
    },
  ),
  get(
    '/counters',
    'readCounter',
    'The open windows of a key, and whether it is blocked',
    counters.readCounter,
    'KeyReading',
    ofCounter,
  ),
  put(
    '/counters',
    'blockCounter',
    'Refuse every hit of a key for some seconds; 0 lifts the block',
    counters.blockCounter,
    'KeyReading',
    { ...ofCounter, query: [...descriptorQuery, 'seconds'], requiredQuery: ['seconds'] },
  ),
  remove(
    '/counters',
    'resetCounter',
    'Forget the counters and the block of a key',
    counters.resetCounter,
    'Reset',
    ofCounter,
  ),
  get(
    '/config',
    'readStatus',
    'The revisions of the configuration and the last refused change',
    configuration.showStatus,
    'Status',
    { query: [] },
  ),
  get(
    '/config/files',
    'readFiles',
    'The files of the newest revision',
    (call) => configuration.showFiles(call),
    'Snapshot',
    { query: [] },
  ),
  put('/config/files', 'replaceFiles', 'Replace all files at once', configuration.putFiles, 'Change', {
    ...ofFiles,
    headers: [ifNoneMatch],
    errors: [...changeErrors, 'not_empty'],
  }),
  post(
    '/config/check',
    'checkFiles',
    'Compile and compare a set of files, changing nothing',
    configuration.check,
    'Change',
    ofFiles,
  ),
  post('/config/rollback', 'rollBack', 'Make a new revision of a kept one', configuration.rollBack, 'Change', {
    query: [],
    takes: json(revisionSchema),
    errors: [...changeErrors, 'revision_not_found'],
  }),
  get('/config/revisions/:name', 'readRevision', 'The files of a kept revision', configuration.showFiles, 'Snapshot', {
    query: [],
    names: { type: 'integer', minimum: 1 },
    errors: ['malformed_request', 'revision_not_found'],
  }),
  get('/config/files/:name', 'readFile', 'The text of one file of the newest revision', configuration.showFile, yaml, {
    ...ofFile,
    errors: ['revision_not_found'],
  }),
  put('/config/files/:name', 'putFile', 'Add or replace one file', configuration.putFile, 'Change', {
    ...ofFile,
    takes: yaml,
    errors: changeErrors,
  }),
  remove('/config/files/:name', 'removeFile', 'Remove one file', configuration.removeFile, 'Change', {
    ...ofFile,
    errors: ['revision_not_found', 'invalid_rules'],
  }),
  get('/v1/lists', 'readLists', 'The allow and deny lists of every domain', lists.showLists, 'ListingSet', {
    query: [],
  }),
  put(
    '/v1/lists',
    'changeLists',
    'Add, replace or take away values that pass uncounted or are refused',
    lists.changeLists,
    'ListingSet',
    { query: [], takes: json(listingsSchema), errors: bodyErrors },
  ),
  get(
    '/v1/usage',
    'readUsage',
    'What was decided over time, by domain and rule, and how full the rules are',
    usage.readUsage,
    'Usage',
    { query: ['domain', 'rule', 'from', 'to', 'step'] },
  ),
  get('/v1/top', 'readTop', 'The keys with the most decisions and the most refusals', usage.readTop, 'Top', {
    query: ['domain', 'from', 'limit', 'values'],
  }),
  post('/v1/events/ticket', 'drawTicket', 'A ticket that opens the event stream once', usage.drawTicket, 'Ticket', {
    query: [],
  }),
  get(
    '/v1/events',
    'watchDecisions',
    'Decisions as they happen, as Server-Sent Events',
    usage.watchDecisions,
    { type: 'text/event-stream', schema: { type: 'string' } },
    { query: ['values', 'ticket'] },
  ),
  post(
    '/v1/what-if',
    'judgeFiles',
    'What these rules would have decided about the requests that were sampled',
    usage.judgeFiles,
    'WhatIf',
    ofFiles,
  ),
]
