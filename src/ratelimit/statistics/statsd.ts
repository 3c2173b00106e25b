/** The lines that a statsd or DogStatsD receiver takes, for statistics that are pushed. */

import type { StatDelta } from '../ports.ts'
import { type Mogrifier, mogrify, type Tag } from './mogrifier.ts'
import { callPrefix, parseResponseTime } from './names.ts'

/** The wire form, the tags and the mogrifiers of every line. */
interface StatsdFormat {
  /** True for DogStatsD, whose tags are behind the value; false for tags inside the name. */
  readonly isDogStatsd: boolean
  /** Tags that every line carries. */
  readonly tags: ReadonlyMap<string, string>
  /** Tried in order on every name; only for DogStatsD. */
  readonly mogrifiers: readonly Mogrifier[]
}

/**
 * Writes counters, one line each: `name.__tag=value:2|c`, or `name:2|c|#tag:value` for DogStatsD. Response times are
 * timers, `name:7|ms`, with `|@0.5` where one line counts for two calls.
 *
 * Names are those of the reference: only what ends a name on the wire (`:`, `|`, a line break) becomes `_`. In tags
 * of DogStatsD a comma does too, so that a runtime value cannot add a tag.
 */
export function statsdLines(deltas: readonly StatDelta[], format: StatsdFormat): string {
  const write = format.isDogStatsd ? dogStatsdLine : statsdLine
  return deltas.map((delta) => `${write(toSample(delta), format)}\n`).join('')
}

interface Sample {
  readonly name: string
  readonly value: string
}

/** Calls of one length are a timer, sent once with the share of them that it represents. */
function toSample({ name, delta }: StatDelta): Sample {
  const time = parseResponseTime(name)
  if (time === null) return { name, value: `${delta}|c` }
  const rate = delta === 1 ? '' : `|@${1 / delta}`
  return { name: `${callPrefix}${time.method}.response_time`, value: `${time.milliseconds}|ms${rate}` }
}

function statsdLine({ name, value }: Sample, { tags }: StatsdFormat): string {
  const inside = commonTags(tags).map(([tag, value]) => `.__${clean(tag)}=${clean(value)}`)
  return `${clean(name)}${inside.join('')}:${value}`
}

/** Tags inside the name come first, then those of every line, then those that the mogrifiers find. */
function dogStatsdLine({ name, value: sample }: Sample, { tags, mogrifiers }: StatsdFormat): string {
  const [short = '', ...inside] = name.split('.__')
  const mogrified = mogrify(short, mogrifiers)
  const pairs = [...inside.flatMap(tagInside), ...commonTags(tags), ...mogrified.tags]
  const suffix = pairs.map(([tag, value]) => `${cleanTag(tag)}:${cleanTag(value)}`).join(',')
  return `${clean(mogrified.name)}:${sample}${suffix === '' ? '' : `|#${suffix}`}`
}

/** `tag=value` as statistics carry it in their names; what is none is left out. */
function tagInside(text: string): readonly Tag[] {
  const at = text.indexOf('=')
  return at < 0 ? [] : [[text.slice(0, at), text.slice(at + 1)]]
}

/** The tags of every line by their keys; the reference's statistics library has no dots in their values. */
function commonTags(tags: ReadonlyMap<string, string>): readonly Tag[] {
  return [...tags]
    .map(([tag, value]): Tag => [tag, value.replaceAll('.', '_')])
    .sort(([one], [other]) => (one < other ? -1 : 1))
}

function clean(text: string): string {
  return text.replace(/[:|\r\n]/g, '_')
}

function cleanTag(text: string): string {
  return clean(text).replaceAll(',', '_')
}
