/** The limit of one descriptor: its `rate_limit` block, checked, with everything that a decision needs. */

import { nearest } from '../../base/nearest.ts'
import type { Limit } from '../rule-book.ts'
import { limitStatNames } from '../statistics/names.ts'
import type { RateLimit } from '../types.ts'
import { parseUnit, units } from '../window.ts'
import { compileFurther } from './further-limits.ts'
import type { DescriptorBlock, RateLimitBlock } from './grammar.ts'
import type { DocumentMistake } from './mistake.ts'
import { compileAlgorithm } from './sluice.ts'

/** Place of a block, and the list that takes its mistakes. */
export interface LimitPlace {
  /** The full key of the descriptor: what the statistics of its limit are named after. */
  readonly statKey: string
  /** For example `descriptors[2].rate_limit`. */
  readonly path: string
  readonly report: (mistake: DocumentMistake) => void
}

/** Compiles a descriptor's limit, mistakes in the reference's order; null without one or without a unit that exists. */
export function compileLimit(block: DescriptorBlock, place: LimitPlace): Limit | null {
  const { rateLimit: written } = block
  if (written === null) return null
  const rateLimit = compileRateLimit(written, place)
  if (rateLimit === null && !written.unlimited) return null
  const limit: Limit = {
    rateLimit,
    requestsPerUnit: written.requestsPerUnit,
    name: written.name,
    replaces: written.replaces,
    isShadow: block.shadowMode,
    isQuota: block.quotaMode,
    hasDetailedMetric: block.detailedMetric,
    metadata: block.metadata,
    statKey: place.statKey,
    stats: limitStatNames(place.statKey),
  }
  const further = compileFurther(written.sluice, limit, compileRateLimit, place)
  return further === undefined ? limit : { ...limit, further }
}

/** The numbers of a limit; null when it is unlimited, or has a unit or an algorithm that does not exist. */
function compileRateLimit(written: RateLimitBlock, { path, report }: LimitPlace): RateLimit | null {
  const wrong = (field: string, message: string, hint?: string) => {
    const line = field === 'unit' ? written.unitLine : written.line
    report({ path: `${path}.${field}`, line, message, ...(hint !== undefined && { hint }) })
  }
  const unit = parseUnit(written.unit)
  if (written.unlimited && unit !== null) {
    wrong('unit', 'should not specify rate limit unit when unlimited', 'leave out unit, or unlimited')
  }
  if (!written.unlimited && unit === null) {
    wrong('unit', `invalid rate limit unit '${written.unit}'`, unitHint(written.unit))
  }
  for (const name of written.replaces) {
    if (name === '') wrong('replaces', 'should not have an empty replaces entry')
    else if (name === written.name) wrong('replaces', 'replaces should not contain name of same descriptor')
  }
  if (written.unlimited && written.sluice !== null) {
    wrong('sluice', 'sluice has no meaning when unlimited', 'leave out sluice, or unlimited')
  }
  if (written.unlimited || unit === null) return null
  const { requestsPerUnit, name, sluice } = written
  const algorithm = compileAlgorithm(sluice, { unit, requestsPerUnit }, { path, report })
  if (algorithm === null) return null
  return { requestsPerUnit, unit, ...(name !== '' && { name }), ...(algorithm !== undefined && { algorithm }) }
}

const unitNames = units.map((unit) => unit.toLowerCase())

function unitHint(text: string): string {
  const near = text === '' ? undefined : nearest(text, unitNames)
  const all = `expected one of ${unitNames.join(', ')}`
  return near === undefined ? all : `did you mean "${near}"? ${all}`
}
