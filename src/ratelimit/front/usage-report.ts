/** Reports of what a front has decided, as they travel in its questions. */

import { isRecord } from '../../base/json.ts'
import { usageBounds } from '../usage/bounds.ts'
import type { UsageReport } from '../usage/types.ts'
import { malformed } from './values.ts'

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
