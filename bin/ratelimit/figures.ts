/** Statistics of the rate limit service as names and counts, and what changed between two looks. */

/** Counts by the name of their statistic. */
export type Figures = ReadonlyMap<string, number>

/** One statistic that has grown. */
export interface FigureChange {
  readonly name: string
  readonly value: number
  /** What it has grown by; all of it after a restart. */
  readonly added: number
}

/**
 * Reads the text of `/stats`: `name: value` in each line. Lines of another form, as those of timers, are left out.
 *
 * @param domain - only names of this domain, `ratelimit.service.rate_limit.DOMAIN.`, where it is given.
 */
export function parseFigures(text: string, domain?: string): Figures {
  const prefix = domain === undefined ? '' : `ratelimit.service.rate_limit.${domain}.`
  const pairs = text.split('\n').flatMap((line): readonly (readonly [string, number])[] => {
    const [, name = '', value] = /^(\S+): (\d+)$/.exec(line) ?? []
    return value === undefined || !name.startsWith(prefix) ? [] : [[name, Number(value)]]
  })
  return new Map(pairs)
}

/** Every statistic that differs, in the order of their names. */
export function changesBetween(before: Figures, now: Figures): readonly FigureChange[] {
  return [...now]
    .filter(([name, value]) => value !== (before.get(name) ?? 0))
    .map(([name, value]) => {
      const earlier = before.get(name) ?? 0
      // A counter that is smaller than before began anew.
      return { name, value, added: value > earlier ? value - earlier : value }
    })
    .sort((one, other) => (one.name < other.name ? -1 : 1))
}
