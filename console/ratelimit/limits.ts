/** The limits that run, as `/rlconfig` lists them. */

import { ask, type ReadOptions } from '../frame/api.ts'
import { duration } from '../frame/time.ts'
import { parseShape } from './algorithm-shape.ts'

/** One limit. */
export interface LimitLine {
  readonly domain: string
  /** Its path with the domain, as usage names it. */
  readonly rule: string
  readonly limit: number
  readonly unit: string
  readonly isShadow: boolean
  readonly isQuota: boolean
  /** As `/rlconfig` names it, such as `sliding 60`; empty for windows of the unit. */
  readonly algorithm: string
}

/** Reads every limit that runs. */
export async function readLimits(signal: AbortSignal, options: ReadOptions = {}): Promise<readonly LimitLine[]> {
  const [text, { files }] = await Promise.all([
    ask<string>('ratelimit', '/ratelimit/rlconfig', { ...options, signal, as: 'text' }),
    ask<{ files: readonly { text: string }[] }>('ratelimit', '/ratelimit/config/files', { ...options, signal }),
  ])
  const domains = files.flatMap((file) => /^domain:\s*['"]?([^'"\n#]*?)['"]?\s*(?:#.*)?$/m.exec(file.text)?.[1] ?? [])
  return parseLimits(text, domains)
}

const lineForm =
  /^(.*): unit=(\w+) requests_per_unit=(\d+), shadow_mode: (\w+), quota_mode: (\w+)(?:, sluice: ([\w +/-]+))?$/

/** Reads the lines of `/rlconfig`; a domain is one of `domains`, or what is before the first dot. */
export function parseLimits(text: string, domains: readonly string[]): readonly LimitLine[] {
  const known = [...domains].sort((one, other) => other.length - one.length)
  return text.split('\n').flatMap((line) => {
    const match = lineForm.exec(line)
    if (match === null) return []
    const [, rule = '', unit = '', limit = '', isShadow, isQuota, algorithm = ''] = match
    return [
      {
        domain: known.find((name) => rule.startsWith(`${name}.`)) ?? rule.slice(0, rule.indexOf('.')),
        rule,
        limit: Number(limit),
        unit,
        isShadow: isShadow === 'true',
        isQuota: isQuota === 'true',
        algorithm,
      },
    ]
  })
}

/** The domains of limits, each once. */
export function listDomains(lines: readonly LimitLine[]): readonly string[] {
  return [...new Set(lines.map(({ domain }) => domain))]
}

/** The text of a limit, such as `5 / min` or `5 / 15 min, sliding`. */
export function limitText({ limit, unit, algorithm = '' }: Pick<LimitLine, 'limit' | 'unit'> & { algorithm?: string }) {
  if (unit === 'UNKNOWN') return 'unlimited'
  const shape = parseShape(algorithm)
  const kind = shape?.kind
  if (kind === 'concurrency') return `${limit} at once, each for ${duration(shape?.seconds ?? 0)} at most`
  const length = unitLengths[unit] ?? 1
  const times = shape === null || kind === 'calendar' ? 1 : shape.seconds / length
  const period = `${times === 1 ? '' : `${times} `}${shortUnits[unit] ?? unit.toLowerCase()}`
  const details = [
    ...(kind === 'sliding' ? ['sliding'] : []),
    ...(kind === 'token_bucket' ? [`bucket of ${shape?.burst}`] : []),
    ...(kind === 'calendar' ? [`of the calendar in ${shape?.zone}`] : []),
    ...(shape?.isAdmitted === true ? ['refused hits are free'] : []),
    ...(shape?.reserve == null
      ? []
      : [`reserved hits are ${shape.reserve.unsettled} after ${duration(shape.reserve.seconds)}`]),
  ]
  return [`${limit} / ${period}`, ...details].join(', ')
}

const shortUnits: Readonly<Record<string, string>> = { SECOND: 's', MINUTE: 'min', HOUR: 'h' }

/** Seconds of each unit, to show how many of them a period has. */
const unitLengths: Readonly<Record<string, number>> = {
  SECOND: 1,
  MINUTE: 60,
  HOUR: 3_600,
  DAY: 86_400,
  WEEK: 604_800,
  MONTH: 2_592_000,
  YEAR: 31_536_000,
}

/** Keys that entries of a domain can have, for completion. */
export function listKeys(lines: readonly LimitLine[], domain: string): readonly string[] {
  const parts = lines
    .filter((line) => line.domain === domain)
    .flatMap(({ rule }) => rule.slice(domain.length + 1).split('.'))
  return [...new Set(parts.map((part) => part.replace(/(?<=[a-z])_[^a-z].*$|\/.*$/, '')))].filter(Boolean).sort()
}
