/** What every operation takes and answers: media types, schemas and the errors beside those of all. */

import type { Json } from '#base/json.ts'
import type { RatelimitErrorCode } from '#ratelimit/errors.ts'
import { filesSchema, revisionSchema } from './bodies.ts'
import { refer } from './schemas.ts'

/** A body by its media type. */
export interface Body {
  readonly type: string
  readonly schema: Json
}

/** What one operation takes and answers. */
export interface Content {
  readonly takes?: Body
  /** 200 when absent. */
  readonly status?: number
  readonly answers: Body
  /** What `npm start` answers with 200, where a deployment has `status`. */
  readonly hosted?: Body
  readonly errors?: readonly RatelimitErrorCode[]
}

const text: Body = { type: 'text/plain', schema: { type: 'string' } }
const yaml: Body = { type: 'application/yaml', schema: { type: 'string' } }
const json = (schema: Json): Body => ({ type: 'application/json', schema })
const named = (name: string): Body => json({ $ref: refer(name) })

const counterErrors = ['counter_not_found', 'counter_unavailable'] as const
const bodyErrors = ['malformed_request', 'request_too_large'] as const
const changeErrors = [...bodyErrors, 'invalid_rules'] as const

/** The content of every operation by its id. */
export const contents = {
  listPaths: { answers: text },
  describeApi: { answers: json({ type: 'object' }) },
  printRules: { answers: text },
  printStats: { answers: text },
  printMetrics: { answers: text },
  profile: {
    status: 501,
    answers: text,
    hosted: { type: 'application/octet-stream', schema: { description: 'pprof, gzip; or JSON for Chrome' } },
  },
  explainRequest: {
    takes: named('RateLimitRequest'),
    answers: named('Explanation'),
    errors: [...bodyErrors, 'rules_not_loaded', 'counter_unavailable'],
  },
  readCounter: { answers: named('KeyReading'), errors: counterErrors },
  blockCounter: { answers: named('KeyReading'), errors: counterErrors },
  resetCounter: { answers: named('Reset'), errors: counterErrors },
  readStatus: { answers: named('Status') },
  readFiles: { answers: named('Snapshot') },
  replaceFiles: { takes: json(filesSchema), answers: named('Change'), errors: changeErrors },
  checkFiles: { takes: json(filesSchema), answers: named('Change'), errors: changeErrors },
  rollBack: {
    takes: json(revisionSchema),
    answers: named('Change'),
    errors: [...changeErrors, 'revision_not_found'],
  },
  readRevision: { answers: named('Snapshot'), errors: ['malformed_request', 'revision_not_found'] },
  readFile: { answers: yaml, errors: ['revision_not_found'] },
  putFile: { takes: yaml, answers: named('Change'), errors: changeErrors },
  readUsage: { answers: named('Usage') },
  readTop: { answers: named('Top') },
  drawTicket: { answers: named('Ticket'), errors: [] },
  watchDecisions: { answers: { type: 'text/event-stream', schema: { type: 'string' } } },
  judgeFiles: { takes: json(filesSchema), answers: named('WhatIf'), errors: changeErrors },
  removeFile: { answers: named('Change'), errors: ['revision_not_found', 'invalid_rules'] },
} as const satisfies Readonly<Record<string, Content>>

/** The name by which programs know an operation. */
export type OperationId = keyof typeof contents
