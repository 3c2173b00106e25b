/** Larger parts of a front's questions: draws of leases, and reports of what was decided. */

import { isRecord } from '../../base/json.ts'
import { RatelimitError } from '../errors.ts'
import type { DrawCall } from '../lease/source.ts'
import { usageBounds } from '../usage/bounds.ts'
import type { UsageReport } from '../usage/types.ts'

/**
 * Reads a draw: object, id, holder and the questions.
 *
 * @throws RatelimitError malformed_request when it is not of that form.
 */
export function readDrawCall([object, id, holder, draws]: readonly unknown[]): DrawCall {
  const isNamed = typeof object === 'string' && object.length <= longestObject
  if (!isNamed || !isCount(id) || !isCount(holder) || !Array.isArray(draws)) {
    throw malformed('a draw is not of this form')
  }
  if (!draws.every(isDraw)) throw malformed('a question of a draw is not of this form')
  return { object, id, holder, draws }
}

/** Characters of an object's name: a key of the longest domain and descriptors that a request may have is below. */
const longestObject = 1_048_576

function isDraw(value: unknown): value is DrawCall['draws'][number] {
  if (!Array.isArray(value) || value.length !== 7) return false
  const [key, unit, addend, limit, wanted, all, returned] = value
  const isNumbers = [addend, limit, wanted].every(isCount) && isCount(unit) && unit < 7
  // Only a QuotaObject takes all that is left.
  const isList = Array.isArray(returned) && returned.length % 2 === 0 && returned.every(isCount)
  return typeof key === 'string' && isNumbers && all === 0 && isList
}

/** Tells whether a value is a whole number from 0 to 2^53 - 1. */
export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

/**
 * Takes a part of a message that is a list.
 *
 * @throws RatelimitError malformed_request when it is none.
 */
export function list(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw malformed('a part of it is not a list')
}

/**
 * Reads a report, whose lists are at most as long as those of an isolate's; addends are texts, which become numbers
 * again.
 *
 * @throws RatelimitError malformed_request when it is not of that form.
 */
export function readUsageReport(value: unknown): UsageReport {
  if (!isRecord(value)) throw malformed('a report is not an object')
  for (const [name, fields] of Object.entries(reportFields)) {
    const items = value[name]
    const isList = Array.isArray(items) && items.length <= (longestLists[name] ?? 0)
    if (!isList || !items.every((item) => hasFields(item, fields))) {
      throw malformed(`${name} of a report are not of this form`)
    }
  }
  // Every list has items with the fields that a report's have.
  const report = value as unknown as UsageReport
  if (!report.samples.every(({ request }) => isSampled(request))) throw malformed('samples of a report have no request')
  return { ...report, samples: report.samples.map(withAddends) }
}

const reportFields: Readonly<Record<keyof UsageReport, Readonly<Record<string, string>>>> = {
  counts: { second: 'number', domain: 'string', rule: 'string', admitted: 'number', refused: 'number' },
  used: { key: 'string', label: 'object', count: 'number', error: 'number' },
  refused: { key: 'string', label: 'object', count: 'number', error: 'number' },
  fills: { domain: 'string', rule: 'string', key: 'string', limit: 'number', remaining: 'number', endsAt: 'number' },
  samples: { at: 'number', weight: 'number', code: 'string', request: 'object', outcomes: 'object' },
}

const longestLists: Readonly<Record<string, number>> = {
  // Beyond the bound an isolate counts together what comes in a second.
  counts: 2 * usageBounds.counts,
  used: usageBounds.keys,
  refused: usageBounds.keys,
  fills: usageBounds.fills,
  samples: usageBounds.samples,
}

function hasFields(item: unknown, fields: Readonly<Record<string, string>>): boolean {
  if (!isRecord(item)) return false
  return Object.entries(fields).every(([name, type]) => {
    const value = item[name]
    // JSON has no infinity, but a number of it can be one: 1e999.
    return type === 'number' ? Number.isFinite(value) : typeof value === type && value !== null
  })
}

function isSampled(request: unknown): boolean {
  const descriptors = isRecord(request) ? request.descriptors : undefined
  return Array.isArray(descriptors) && descriptors.every(isSampledDescriptor)
}

function isSampledDescriptor(descriptor: unknown): boolean {
  if (!isRecord(descriptor) || !Array.isArray(descriptor.entries)) return false
  const { hitsAddend } = descriptor
  return hitsAddend === undefined || (typeof hitsAddend === 'string' && /^\d{1,20}$/.test(hitsAddend))
}

function withAddends(sample: UsageReport['samples'][number]): UsageReport['samples'][number] {
  const descriptors = sample.request.descriptors.map((descriptor) =>
    descriptor.hitsAddend === undefined ? descriptor : { ...descriptor, hitsAddend: BigInt(descriptor.hitsAddend) },
  )
  return { ...sample, request: { ...sample.request, descriptors } }
}

/** Makes the error of a message that is not of its form. */
export function malformed(state: string): RatelimitError {
  return new RatelimitError('malformed_request', `Cannot read message of the front connection: ${state}`)
}
