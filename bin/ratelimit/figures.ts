/** Statistics of the rate limit service by name, and which of them have changed since they were last read. */

/** Counts by the name of their statistic. */
export type Figures = ReadonlyMap<string, number>

interface FigureChange {
  readonly name: string
  readonly value: number
  /** By how much it has grown; its whole value where the service has started again in between. */
  readonly added: number
}

/** Reads the text of `/stats`, `name: value` a line; with a domain only the names of its limits. */
export function parseFigures(text: string, domain?: string): Figures {
  const prefix = domain === undefined ? '' : `ratelimit.service.rate_limit.${domain}.`
  const pairs = text.split('\n').flatMap((line): readonly (readonly [string, number])[] => {
    const [, name = '', value] = /^(\S+): (\d+)$/.exec(line) ?? []
    return value === undefined || !name.startsWith(prefix) ? [] : [[name, Number(value)]]
  })
  return new Map(pairs)
}

/** Lists every statistic that has changed, by name in ascending order. */
export function changesBetween(before: Figures, now: Figures): readonly FigureChange[] {
  return [...now]
    .filter(([name, value]) => value !== (before.get(name) ?? 0))
    .map(([name, value]) => {
      const earlier = before.get(name) ?? 0
      // A counter that is smaller than before began again at 0.
      return { name, value, added: value > earlier ? value - earlier : value }
    })
    .sort((one, other) => (one.name < other.name ? -1 : 1))
}
