/** The operator plane as one table: every operation with its method, path, query and handler. */

import * as configuration from './configuration.ts'
import type { OperationId } from './contents.ts'
import type { CounterParameter } from './counters.ts'
import * as counters from './counters.ts'
import { describeApi } from './openapi.ts'
import * as operator from './operator.ts'
import * as usage from './usage.ts'

/** The methods that operations have. */
export type Method = 'get' | 'put' | 'post' | 'delete'

/** One operation. */
export interface Operation {
  readonly method: Method
  /** Below the plane's prefix; `:name` matches one segment. */
  readonly path: string
  /** The name by which programs know it. */
  readonly id: OperationId
  readonly summary: string
  /** Parameters of the query; any when absent, for the paths of the reference, which asks for none. */
  readonly query?: readonly (CounterParameter | usage.UsageParameter)[]
  /** True where no token is needed: the answer holds nothing of the deployment. */
  readonly isOpen?: boolean
  /** True where the answer can hold secrets of the deployment: a scope that only reads does not cover it. */
  readonly revealsSecrets?: boolean
  readonly run: (call: configuration.Call, name: string) => Response | Promise<Response>
}

const descriptorQuery = ['key', 'domain', 'entry'] as const

/** Every operation, in the order in which paths are tried. */
export const operations: readonly Operation[] = [
  {
    method: 'get',
    path: '/',
    id: 'listPaths',
    summary: 'The paths of the operator plane',
    run: operator.showListing,
  },
  {
    method: 'get',
    path: '/openapi.json',
    id: 'describeApi',
    summary: 'This interface in OpenAPI 3.1',
    query: [],
    isOpen: true,
    run: () => Response.json(describeApi(operations)),
  },
  {
    method: 'get',
    path: '/rlconfig',
    id: 'printRules',
    summary: 'Every limit that runs, one per line',
    run: operator.showRules,
  },
  {
    method: 'get',
    path: '/stats',
    id: 'printStats',
    summary: 'Every statistic as name: value',
    run: operator.showStats,
  },
  {
    method: 'get',
    path: '/metrics',
    id: 'printMetrics',
    summary: 'Every statistic in the Prometheus text format',
    run: operator.showMetrics,
  },
  {
    method: 'get',
    path: '/debug/pprof/*',
    id: 'profile',
    summary: 'Profiles of the runtime',
    revealsSecrets: true,
    run: operator.profile,
  },
  {
    method: 'post',
    path: '/explain',
    id: 'explainRequest',
    summary: 'How a request would be decided and why, counting nothing',
    query: [],
    run: operator.explainRequest,
  },
  {
    method: 'get',
    path: '/counters',
    id: 'readCounter',
    summary: 'The open windows of a key, and whether it is blocked',
    query: descriptorQuery,
    run: counters.readCounter,
  },
  {
    method: 'put',
    path: '/counters',
    id: 'blockCounter',
    summary: 'Refuse every hit of a key for some seconds; 0 lifts the block',
    query: [...descriptorQuery, 'seconds'],
    run: counters.blockCounter,
  },
  {
    method: 'delete',
    path: '/counters',
    id: 'resetCounter',
    summary: 'Forget the counters and the block of a key',
    query: descriptorQuery,
    run: counters.resetCounter,
  },
  {
    method: 'get',
    path: '/config',
    id: 'readStatus',
    summary: 'The revisions of the configuration and the last refused change',
    query: [],
    run: configuration.showStatus,
  },
  {
    method: 'get',
    path: '/config/files',
    id: 'readFiles',
    summary: 'The files of the newest revision',
    query: [],
    run: (call) => configuration.showFiles(call),
  },
  {
    method: 'put',
    path: '/config/files',
    id: 'replaceFiles',
    summary: 'Replace all files at once',
    query: [],
    run: configuration.putFiles,
  },
  {
    method: 'post',
    path: '/config/check',
    id: 'checkFiles',
    summary: 'Compile and compare a set of files, changing nothing',
    query: [],
    run: configuration.check,
  },
  {
    method: 'post',
    path: '/config/rollback',
    id: 'rollBack',
    summary: 'Make a new revision of a kept one',
    query: [],
    run: configuration.rollBack,
  },
  {
    method: 'get',
    path: '/config/revisions/:name',
    id: 'readRevision',
    summary: 'The files of a kept revision',
    query: [],
    run: configuration.showFiles,
  },
  {
    method: 'get',
    path: '/config/files/:name',
    id: 'readFile',
    summary: 'The text of one file of the newest revision',
    query: [],
    run: configuration.showFile,
  },
  {
    method: 'put',
    path: '/config/files/:name',
    id: 'putFile',
    summary: 'Add or replace one file',
    query: [],
    run: configuration.putFile,
  },
  {
    method: 'delete',
    path: '/config/files/:name',
    id: 'removeFile',
    summary: 'Remove one file',
    query: [],
    run: configuration.removeFile,
  },
  {
    method: 'get',
    path: '/v1/usage',
    id: 'readUsage',
    summary: 'What was decided over time, by domain and rule, and how full the rules are',
    query: ['domain', 'rule', 'from', 'to', 'step'],
    run: usage.readUsage,
  },
  {
    method: 'get',
    path: '/v1/top',
    id: 'readTop',
    summary: 'The keys with the most decisions and the most refusals',
    query: ['domain', 'from', 'limit', 'values'],
    run: usage.readTop,
  },
  {
    method: 'post',
    path: '/v1/events/ticket',
    id: 'drawTicket',
    summary: 'A ticket that opens the event stream once',
    query: [],
    run: usage.drawTicket,
  },
  {
    method: 'get',
    path: '/v1/events',
    id: 'watchDecisions',
    summary: 'Decisions as they happen, as Server-Sent Events',
    query: ['values', 'ticket'],
    run: usage.watchDecisions,
  },
  {
    method: 'post',
    path: '/v1/what-if',
    id: 'judgeFiles',
    summary: 'What these rules would have decided about the requests that were sampled',
    query: [],
    run: usage.judgeFiles,
  },
]

/** The pattern of the operation at a path, or `unknown`: one of few names for every path. */
export function patternOf(path: string): string {
  return operations.find((operation) => isAt(operation, path))?.path ?? 'unknown'
}

/** Tells whether a path needs no token. */
export function isOpenPath(path: string): boolean {
  return operations.some((operation) => operation.isOpen === true && operation.path === path)
}

/** Tells whether the answer of a path can hold secrets. */
export function revealsSecrets(path: string): boolean {
  return operations.some((operation) => operation.revealsSecrets === true && isAt(operation, path))
}

function isAt({ path: pattern }: Operation, path: string): boolean {
  return new RegExp(`^${pattern.replace(/:\w+/g, '[^/]+').replace('*', '.*')}$`).test(path)
}
