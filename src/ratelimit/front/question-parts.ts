/** Larger parts of a front's questions: draws of leases, and reports of what was decided. */

import { isRecord } from '../../base/json.ts'
import { RatelimitError } from '../errors.ts'
import type { DrawCall } from '../lease/source.ts'
import type { UsageReport } from '../usage/types.ts'

/**
 * Reads a draw: object, id, holder and the questions.
 *
 * @throws RatelimitError malformed_request when it is not of that form.
 */
export function readDrawCall([object, id, holder, draws]: readonly unknown[]): DrawCall {
  const isNamed = typeof object === 'string' && object.length <= longestObject
  if (!isNamed || !isWhole(id) || !isWhole(holder) || !Array.isArray(draws)) {
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
  const isNumbers = [addend, limit, wanted].every(isWhole) && isWhole(unit) && unit < 7
  // Only a QuotaObject takes all that is left.
  const isList = Array.isArray(returned) && returned.length % 2 === 0 && returned.every(isWhole)
  return typeof key === 'string' && isNumbers && all === 0 && isList
}

function isWhole(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

/**
 * Reads a report. Its lists are bounded by the length of the message; addends are texts, which become numbers again.
 *
 * @throws RatelimitError malformed_request when it is not of that form.
 */
export function readUsageReport(value: unknown): UsageReport {
  if (!isRecord(value)) throw malformed('a report is not an object')
  for (const [name, fields] of Object.entries(reportFields)) {
    const items = value[name]
    if (!Array.isArray(items) || !items.every((item) => hasFields(item, fields))) {
      throw malformed(`${name} of a report are not of this form`)
    }
  }
  // Every list has items with the fields that a report's have.
  const report = value as unknown as UsageReport
  return { ...report, samples: report.samples.map(withAddends) }
}

const reportFields: Readonly<Record<keyof UsageReport, Readonly<Record<string, string>>>> = {
  counts: { second: 'number', domain: 'string', rule: 'string', admitted: 'number', refused: 'number' },
  used: { key: 'string', label: 'object', count: 'number', error: 'number' },
  refused: { key: 'string', label: 'object', count: 'number', error: 'number' },
  fills: { domain: 'string', rule: 'string', key: 'string', limit: 'number', remaining: 'number', endsAt: 'number' },
  samples: { at: 'number', weight: 'number', code: 'string', request: 'object', outcomes: 'object' },
}

function hasFields(item: unknown, fields: Readonly<Record<string, string>>): boolean {
  return (
    isRecord(item) && Object.entries(fields).every(([name, type]) => typeof item[name] === type && item[name] !== null)
  )
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
