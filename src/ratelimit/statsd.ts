/** The lines that a statsd or DogStatsD receiver takes, for statistics that are pushed. */

import type { StatDelta } from './ports.ts'

/** Which of the two wire forms, and the tags that every line carries. */
export interface StatsdFormat {
  /** True for DogStatsD, whose tags stand behind the value; false for tags inside the name. */
  readonly isDogStatsd: boolean
  readonly tags: ReadonlyMap<string, string>
}

/**
 * Writes counters, one line each: `name.__tag=value:2|c`, or `name:2|c|#tag:value` for DogStatsD.
 *
 * Characters that end a field in either form become `_`, so that a runtime value cannot add a line or a tag.
 */
export function statsdLines(deltas: readonly StatDelta[], format: StatsdFormat): string {
  return deltas.map(({ name, delta }) => `${line(clean(name), delta, format)}\n`).join('')
}

function line(name: string, delta: number, { isDogStatsd, tags }: StatsdFormat): string {
  const pairs = [...tags].map(([tag, value]) => [clean(tag), clean(value)] as const)
  if (!isDogStatsd) return `${name}${pairs.map(([tag, value]) => `.__${tag}=${value}`).join('')}:${delta}|c`
  const suffix = pairs.map(([tag, value]) => `${tag}:${value}`).join(',')
  return `${name}:${delta}|c${suffix === '' ? '' : `|#${suffix}`}`
}

function clean(text: string): string {
  return text.replace(/[\s:|#@,]/g, '_')
}
