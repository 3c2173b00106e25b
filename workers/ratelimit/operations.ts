/** The operator plane as one table: every operation with its method, path, content and handler. */

import { schemaRef } from '../edge/openapi.ts'
import { fileKeySchema, filesSchema, listingsSchema, revisionSchema } from './bodies.ts'
import * as configuration from './configuration.ts'
import * as counters from './counters.ts'
import * as lists from './lists.ts'
import { describeApi } from './openapi.ts'
import { answer, json, type Operation, text, yaml } from './operation.ts'
import * as operator from './operator.ts'
import * as usage from './usage.ts'
import { judgeFiles } from './what-if.ts'

const descriptorQuery = ['key', 'domain', 'entry'] as const
const counterErrors = ['counter_not_found', 'counter_unavailable'] as const
const bodyErrors = ['malformed_request', 'request_too_large'] as const
const changeErrors = [...bodyErrors, 'invalid_rules'] as const
const ifNoneMatch = { name: 'If-None-Match', in: 'header', schema: { const: '*' } } as const
const pprof = { type: 'application/octet-stream', schema: { description: 'pprof, gzip; or JSON for Chrome' } }

const pages: readonly Operation[] = [
  {
    method: 'get',
    path: '/',
    id: 'listPaths',
    summary: 'The paths of the operator plane',
    run: operator.showListing,
    takesAnyQuery: true,
    answers: text,
  },
  {
    method: 'get',
    path: '/openapi.json',
    id: 'describeApi',
    summary: 'This interface in OpenAPI 3.1',
    run: () => Response.json(describeApi(operations)),
    answers: json({ type: 'object' }),
    isOpen: true,
  },
  {
    method: 'get',
    path: '/rlconfig',
    id: 'printRules',
    summary: 'Every limit that runs, one per line',
    run: operator.showRules,
    takesAnyQuery: true,
    answers: text,
  },
  {
    method: 'get',
    path: '/stats',
    id: 'printStats',
    summary: 'Every statistic as name: value',
    run: operator.showStats,
    takesAnyQuery: true,
    answers: text,
  },
  {
    method: 'get',
    path: '/metrics',
    id: 'printMetrics',
    summary: 'Every statistic in the Prometheus text format',
    run: operator.showMetrics,
    takesAnyQuery: true,
    answers: text,
  },
  {
    method: 'get',
    path: '/debug/pprof/*',
    id: 'profile',
    summary: 'Profiles of the runtime',
    run: operator.profile,
    takesAnyQuery: true,
    rest: 'profile',
    answers: text,
    status: 501,
    hosted: pprof,
    revealsSecrets: true,
  },
  {
    method: 'post',
    path: '/explain',
    id: 'explainRequest',
    summary: 'How a request would be decided and why, counting nothing',
    run: operator.explainRequest,
    takes: json(schemaRef('RateLimitRequest')),
    answers: answer('Explanation'),
    errors: [...bodyErrors, 'rules_not_loaded', 'counter_unavailable'],
  },
]

const counterOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/counters',
    id: 'readCounter',
    summary: 'The open windows of a key, and whether it is blocked',
    run: counters.readCounter,
    query: descriptorQuery,
    answers: answer('KeyReading'),
    errors: counterErrors,
  },
  {
    method: 'put',
    path: '/counters',
    id: 'blockCounter',
    summary: 'Refuse every hit of a key for some seconds; 0 lifts the block',
    run: counters.blockCounter,
    query: [...descriptorQuery, 'seconds'],
    requiredQuery: ['seconds'],
    answers: answer('KeyReading'),
    errors: counterErrors,
  },
  {
    method: 'delete',
    path: '/counters',
    id: 'resetCounter',
    summary: 'Forget the counters and the block of a key',
    run: counters.resetCounter,
    query: descriptorQuery,
    answers: answer('Reset'),
    errors: counterErrors,
  },
]

const configurationOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/config',
    id: 'readStatus',
    summary: 'The revisions of the configuration and the last refused change',
    run: configuration.showStatus,
    answers: answer('Status'),
  },
  {
    method: 'get',
    path: '/config/files',
    id: 'readFiles',
    summary: 'The files of the newest revision',
    run: (call) => configuration.showFiles(call),
    answers: answer('Snapshot'),
  },
  {
    method: 'put',
    path: '/config/files',
    id: 'replaceFiles',
    summary: 'Replace all files at once',
    run: configuration.putFiles,
    headers: [ifNoneMatch],
    takes: json(filesSchema),
    answers: answer('Change'),
    errors: [...changeErrors, 'not_empty'],
  },
  {
    method: 'post',
    path: '/config/check',
    id: 'checkFiles',
    summary: 'Compile and compare a set of files, changing nothing',
    run: configuration.check,
    takes: json(filesSchema),
    answers: answer('Change'),
    errors: changeErrors,
  },
  {
    method: 'post',
    path: '/config/rollback',
    id: 'rollBack',
    summary: 'Make a new revision of a kept one',
    run: configuration.rollBack,
    takes: json(revisionSchema),
    answers: answer('Change'),
    errors: [...changeErrors, 'revision_not_found'],
  },
  {
    method: 'get',
    path: '/config/revisions/:name',
    id: 'readRevision',
    summary: 'The files of a kept revision',
    run: configuration.showFiles,
    names: { type: 'integer', minimum: 1 },
    answers: answer('Snapshot'),
    errors: ['malformed_request', 'revision_not_found'],
  },
  {
    method: 'get',
    path: '/config/files/:name',
    id: 'readFile',
    summary: 'The text of one file of the newest revision',
    run: configuration.showFile,
    names: fileKeySchema,
    answers: yaml,
    errors: ['revision_not_found'],
  },
  {
    method: 'put',
    path: '/config/files/:name',
    id: 'putFile',
    summary: 'Add or replace one file',
    run: configuration.putFile,
    names: fileKeySchema,
    takes: yaml,
    answers: answer('Change'),
    errors: changeErrors,
  },
  {
    method: 'delete',
    path: '/config/files/:name',
    id: 'removeFile',
    summary: 'Remove one file',
    run: configuration.removeFile,
    names: fileKeySchema,
    answers: answer('Change'),
    errors: ['revision_not_found', 'invalid_rules'],
  },
]

const listOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/v1/lists',
    id: 'readLists',
    summary: 'The allow and deny lists of every domain',
    run: lists.showLists,
    answers: answer('ListingSet'),
  },
  {
    method: 'put',
    path: '/v1/lists',
    id: 'changeLists',
    summary: 'Add, replace or take away values that pass uncounted or are refused',
    run: lists.changeLists,
    takes: json(listingsSchema),
    answers: answer('ListingSet'),
    errors: bodyErrors,
  },
]

const usageOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/v1/usage',
    id: 'readUsage',
    summary: 'What was decided over time, by domain and rule, and how full the rules are',
    run: usage.readUsage,
    query: ['domain', 'rule', 'from', 'to', 'step'],
    answers: answer('Usage'),
  },
  {
    method: 'get',
    path: '/v1/top',
    id: 'readTop',
    summary: 'The keys with the most decisions and the most refusals',
    run: usage.readTop,
    query: ['domain', 'from', 'limit', 'values'],
    answers: answer('Top'),
  },
  {
    method: 'post',
    path: '/v1/events/ticket',
    id: 'drawTicket',
    summary: 'A ticket that opens the event stream once',
    run: usage.drawTicket,
    answers: answer('Ticket'),
  },
  {
    method: 'get',
    path: '/v1/events',
    id: 'watchDecisions',
    summary: 'Decisions as they happen, as Server-Sent Events',
    run: usage.watchDecisions,
    query: ['values', 'ticket'],
    answers: { type: 'text/event-stream', schema: { type: 'string' } },
  },
  {
    method: 'post',
    path: '/v1/what-if',
    id: 'judgeFiles',
    summary: 'What these rules would have decided about the requests that were sampled',
    run: judgeFiles,
    takes: json(filesSchema),
    answers: answer('WhatIf'),
    errors: changeErrors,
  },
]

/** Every operation, in the order in which paths are tried. */
export const operations: readonly Operation[] = [
  ...pages,
  ...counterOperations,
  ...configurationOperations,
  ...listOperations,
  ...usageOperations,
]
