/** JSON Schemas of the answers of the operator plane, for its OpenAPI document. */

import {
  boolean,
  describe,
  listOf,
  oneOf,
  orNull,
  type Schema,
  type Schemas,
  text,
} from '#base/json-schema.ts'
import { units } from '#ratelimit/window.ts'
import { operatorStatus } from './problems.ts'

/** The reference to a schema of the document. */
export function refer(name: string): string {
  return `#/components/schemas/${name}`
}

const count = { type: 'integer', minimum: 0 } as const
const moment = { type: 'integer', description: 'Unix time in milliseconds.' } as const
const unit = oneOf(...units)
const code = oneOf('OK', 'OVER_LIMIT')
const refTo = (name: string): Schema => ({ $ref: refer(name) })

/** An object that has every member, except that those of `optional` may be left out. */
function object(properties: Schemas, optional: readonly string[] = []): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name))
  return { type: 'object', properties, required }
}

/** `not_empty` answers a seed where there is a configuration already; no error of the domain has it. */
const errorCodes = [...Object.keys(operatorStatus), 'not_empty']

const failures: Schemas = {
  Error: object({
    error: object(
      {
        code: oneOf(...errorCodes),
        message: text,
        hint: describe('What would be right, where the message does not say it.', text),
        mistakes: describe('With code `invalid_rules` only.', listOf(refTo('Mistake'))),
        leftOut: describe('How many further mistakes there are, where the list has no room for all.', count),
      },
      ['hint', 'mistakes', 'leftOut'],
    ),
  }),
  Mistake: object(
    {
      file: describe('The runtime key of the file.', text),
      path: describe('Such as descriptors[2].rate_limit.unit; empty for the whole file.', text),
      line: count,
      message: text,
      hint: text,
    },
    ['hint'],
  ),
}

const configuration: Schemas = {
  Change: object({ revision: count, changes: refTo('Changes') }),
  Changes: object(
    {
      files: object({ added: listOf(text), changed: listOf(text), removed: listOf(text) }),
      rules: listOf(refTo('RuleChange')),
      leftOut: describe('How many further entries there are, where the lists have no room for all.', count),
    },
    ['leftOut'],
  ),
  RuleChange: object({
    change: oneOf('added', 'removed', 'changed'),
    key: text,
    before: { type: ['string', 'null'] },
    after: { type: ['string', 'null'] },
    losesCounters: describe('True when hits that were counted no longer count.', boolean),
  }),
  Revision: object({ revision: count, at: moment, who: text, changes: refTo('Changes') }),
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
  Snapshot: object({ revision: count, files: listOf(object({ key: text, text })) }),
}

const counters: Schemas = {
  CounterReading: object(
    {
      unit,
      hits: describe('Counted hits, with those of open leases.', count),
      outstanding: describe('Hits of open leases; absent when there are none.', count),
      windowStart: { type: 'integer', description: 'Unix time in seconds.' },
      secondsUntilReset: count,
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

const limit = object({ requestsPerUnit: count, unit, name: text }, ['name'])

const explanation: Schemas = {
  Explanation: object({
    descriptors: listOf(refTo('DescriptorExplanation')),
    response: object(
      {
        overallCode: code,
        statuses: listOf(refTo('ExplainedStatus')),
        responseHeadersToAdd: listOf(object({ key: text, value: text })),
        requestHeadersToAdd: listOf(object({ key: text, value: text })),
        dynamicMetadata: { type: 'object', additionalProperties: true },
      },
      ['requestHeadersToAdd', 'dynamicMetadata'],
    ),
  }),
  ExplainedStatus: object({ code, currentLimit: limit, limitRemaining: count, secondsUntilReset: count }, [
    'currentLimit',
    'secondsUntilReset',
  ]),
  ExplainedEntry: object({ key: text, value: text }),
  DescriptorExplanation: object({
    descriptor: object(
      {
        entries: listOf(refTo('ExplainedEntry')),
        limit: object({ requestsPerUnit: count, unit }),
        hitsAddend: describe('A whole number of up to 64 bits, as text.', text),
        isNegativeHits: boolean,
      },
      ['limit', 'hitsAddend', 'isNegativeHits'],
    ),
    levels: listOf(
      object({
        entry: refTo('ExplainedEntry'),
        trials: listOf(
          object({
            kind: oneOf('exact', 'wildcard', 'bare'),
            pattern: text,
            isTaken: boolean,
          }),
        ),
      }),
    ),
    outcome: oneOf(
      'unknown domain',
      'no rule matches',
      'limit in the request',
      'limit of the last rule',
      'unlimited',
      'replaced',
    ),
    rule: { type: ['string', 'null'] },
    counter: orNull(
      object({ key: text, hits: count, secondsUntilReset: count, addend: { type: 'integer' } }),
    ),
    status: refTo('ExplainedStatus'),
  }),
}

const seconds = { type: 'integer', description: 'Unix time in seconds.' } as const
const keyCount = object({
  key: describe('The key of a counter, without its window.', text),
  label: object({ domain: text, rule: text, entries: listOf(refTo('ExplainedEntry')) }),
  count: { type: 'integer', description: 'The true count lies between count - error and count.' },
  error: count,
})
const verdicts = object({ admitted: count, refused: count })

const usage: Schemas = {
  Usage: object({
    from: seconds,
    to: seconds,
    step: { type: 'integer', description: 'Seconds of a bucket.' },
    since: {
      ...orNull(seconds),
      description: 'The first moment of which anything is known; null when nothing was ever decided.',
    },
    rows: listOf(
      object({
        start: seconds,
        domain: describe('Empty for domains that no rule has.', text),
        rule: describe('Empty for whole requests.', text),
        admitted: count,
        refused: count,
        shadow: { type: 'integer', description: 'Admitted by a shadow mode, though a limit was exceeded.' },
      }),
    ),
    fills: {
      ...listOf(
        object({
          domain: text,
          rule: text,
          key: text,
          limit: count,
          unit,
          remaining: count,
          endsAt: seconds,
        }),
      ),
      description: 'The fullest counter of every rule whose window is open.',
    },
  }),
  Top: object({ from: seconds, used: listOf(keyCount), refused: listOf(keyCount) }),
  Ticket: object({ ticket: text, expires_in: { type: 'integer', description: 'Seconds.' } }),
  WhatIf: object({
    sampled: count,
    requests: { type: 'integer', description: 'How many requests the sampled ones represent.' },
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
    changedRequests: count,
  }),
}

/** Every schema by its name. */
export const operatorSchemas: Schemas = {
  ...failures,
  ...configuration,
  ...counters,
  ...explanation,
  ...usage,
}
