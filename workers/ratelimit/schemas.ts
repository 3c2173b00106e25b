/** JSON Schemas of the answers of the operator plane, for its OpenAPI document. */

import type { JsonSchema } from '../../proto-json/index.ts'
import { units } from '../../src/ratelimit/window.ts'
import { operatorStatus } from './problems.ts'

type Members = { readonly [name: string]: JsonSchema }

/** The reference to a schema of the document. */
export function refer(name: string): string {
  return `#/components/schemas/${name}`
}

const text = { type: 'string' } as const
const whole = { type: 'integer', minimum: 0 } as const
const moment = { type: 'integer', description: 'Unix time in milliseconds.' } as const
const unit = { type: 'string', enum: units } as const
const code = { type: 'string', enum: ['OK', 'OVER_LIMIT'] } as const
const refTo = (name: string): JsonSchema => ({ $ref: refer(name) })
const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items })
const orNull = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: 'null' }] })

/** An object that has every member, except that those of `optional` may be left out. */
function object(properties: Members, optional: readonly string[] = []): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name))
  return { type: 'object', properties, required }
}

/** `not_empty` answers a seed where there is a configuration already; no error of the domain has it. */
const errorCodes = [...Object.keys(operatorStatus), 'not_empty']

const failures: Members = {
  Error: object({
    error: object(
      {
        code: { type: 'string', enum: errorCodes },
        message: text,
        hint: { type: 'string', description: 'What would be right, where the message does not say it.' },
        mistakes: { ...listOf(refTo('Mistake')), description: 'With code `invalid_rules` only.' },
      },
      ['hint', 'mistakes'],
    ),
  }),
  Mistake: object(
    {
      file: { type: 'string', description: 'The runtime key of the file.' },
      path: {
        type: 'string',
        description: 'Such as descriptors[2].rate_limit.unit; empty for the whole file.',
      },
      line: whole,
      message: text,
      hint: text,
    },
    ['hint'],
  ),
}

const configuration: Members = {
  Change: object({ revision: whole, changes: refTo('Changes') }),
  Changes: object({
    files: object({ added: listOf(text), changed: listOf(text), removed: listOf(text) }),
    rules: listOf(refTo('RuleChange')),
  }),
  RuleChange: object({
    change: { type: 'string', enum: ['added', 'removed', 'changed'] },
    key: text,
    before: { type: ['string', 'null'] },
    after: { type: ['string', 'null'] },
    losesCounters: { type: 'boolean', description: 'True when hits that were counted no longer count.' },
  }),
  Revision: object({ revision: whole, at: moment, who: text, changes: refTo('Changes') }),
  Refusal: object({ at: moment, who: text, mistakes: listOf(refTo('Mistake')) }),
  Status: object({
    revision: { type: 'integer', minimum: 0, description: 'The newest; 0 when none was ever accepted.' },
    revisions: listOf(refTo('Revision')),
    lastError: orNull(refTo('Refusal')),
    isolate: object({
      revision: { type: 'integer', description: 'The one by which the answering isolate decides.' },
      checkedMsAgo: { type: ['number', 'null'] },
    }),
  }),
  Snapshot: object({ revision: whole, files: listOf(object({ key: text, text })) }),
}

const counters: Members = {
  CounterReading: object(
    {
      unit,
      hits: { ...whole, description: 'Counted hits, with those of open leases.' },
      outstanding: { ...whole, description: 'Hits of open leases; absent when there are none.' },
      windowStart: { type: 'integer', description: 'Unix time in seconds.' },
      secondsUntilReset: whole,
    },
    ['outstanding'],
  ),
  KeyReading: object(
    {
      key: text,
      counters: listOf(refTo('CounterReading')),
      blockedUntil: {
        type: ['integer', 'null'],
        description: 'Unix time in seconds; null when not blocked.',
      },
      hint: text,
    },
    ['key', 'hint'],
  ),
  Reset: object({ key: text, forgotten: refTo('KeyReading') }),
}

const limit = object({ requestsPerUnit: whole, unit, name: text }, ['name'])

const explanation: Members = {
  Explanation: object({
    descriptors: listOf(refTo('DescriptorExplanation')),
    response: object(
      {
        overallCode: code,
        statuses: listOf(refTo('ExplainedStatus')),
        responseHeadersToAdd: listOf(object({ key: text, value: text })),
        dynamicMetadata: { type: 'object', additionalProperties: true },
      },
      ['dynamicMetadata'],
    ),
  }),
  ExplainedStatus: object({ code, currentLimit: limit, limitRemaining: whole, secondsUntilReset: whole }, [
    'currentLimit',
    'secondsUntilReset',
  ]),
  ExplainedEntry: object({ key: text, value: text }),
  DescriptorExplanation: object({
    descriptor: object(
      {
        entries: listOf(refTo('ExplainedEntry')),
        limit: object({ requestsPerUnit: whole, unit }),
        hitsAddend: { type: 'string', description: 'A whole number of up to 64 bits, as text.' },
        isNegativeHits: { type: 'boolean' },
      },
      ['limit', 'hitsAddend', 'isNegativeHits'],
    ),
    levels: listOf(
      object({
        entry: refTo('ExplainedEntry'),
        trials: listOf(
          object({
            kind: { type: 'string', enum: ['exact', 'wildcard', 'bare'] },
            pattern: text,
            isTaken: { type: 'boolean' },
          }),
        ),
      }),
    ),
    outcome: {
      type: 'string',
      enum: [
        'unknown domain',
        'no rule matches',
        'limit in the request',
        'limit of the last rule',
        'unlimited',
        'replaced',
      ],
    },
    rule: { type: ['string', 'null'] },
    counter: orNull(
      object({ key: text, hits: whole, secondsUntilReset: whole, addend: { type: 'integer' } }),
    ),
    status: refTo('ExplainedStatus'),
  }),
}

const seconds = { type: 'integer', description: 'Unix time in seconds.' } as const
const keyCount = object({
  key: { type: 'string', description: 'The key of a counter, without its window.' },
  label: object({ domain: text, rule: text, entries: listOf(refTo('ExplainedEntry')) }),
  count: { type: 'integer', description: 'The true count lies between count - error and count.' },
  error: whole,
})
const verdicts = object({ admitted: whole, refused: whole })

const usage: Members = {
  Usage: object({
    from: seconds,
    to: seconds,
    step: { type: 'integer', description: 'Seconds of a bucket: 1, 60 or 3600.' },
    since: {
      ...orNull(seconds),
      description: 'The first moment of which anything is known; null when nothing was ever decided.',
    },
    rows: listOf(
      object({
        start: seconds,
        domain: { type: 'string', description: 'Empty for domains that no rule has.' },
        rule: { type: 'string', description: 'Empty for whole requests.' },
        admitted: whole,
        refused: whole,
        shadow: { type: 'integer', description: 'Admitted by a shadow mode, though a limit was exceeded.' },
      }),
    ),
    fills: {
      ...listOf(
        object({
          domain: text,
          rule: text,
          key: text,
          limit: whole,
          unit,
          remaining: whole,
          endsAt: seconds,
        }),
      ),
      description: 'The fullest counter of every rule whose window is open.',
    },
  }),
  Top: object({ from: seconds, used: listOf(keyCount), refused: listOf(keyCount) }),
  Ticket: object({ ticket: text, expires_in: { type: 'integer', description: 'Seconds.' } }),
  WhatIf: object({
    sampled: whole,
    requests: { type: 'integer', description: 'How many requests the sampled ones stand for.' },
    from: moment,
    to: moment,
    was: verdicts,
    would: verdicts,
    changed: listOf(
      object({
        at: moment,
        request: { type: 'object' },
        was: code,
        would: code,
        wasRule: { type: ['string', 'null'] },
        wouldRule: { type: ['string', 'null'] },
      }),
    ),
    changedRequests: whole,
  }),
}

/** Every schema by its name. */
export const operatorSchemas: Members = {
  ...failures,
  ...configuration,
  ...counters,
  ...explanation,
  ...usage,
}
