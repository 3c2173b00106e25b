/** Statistics of the rate limit service by name, and which of them have changed since they were last read. */

/** Counts by the name of their statistic. */
export type Figures = ReadonlyMap<string, number>

/** Reads the text of `/stats`, `name: value` a line; with a domain only the names of its limits. */
export function parseFigures(text: string, domain?: string): Figures {
  const prefix = domain === undefined ? '' : `ratelimit.service.rate_limit.${domain}.`
  const pairs = text.split('\n').flatMap((line): readonly (readonly [string, number])[] => {
    const [, name = '', value] = /^(.+): (\d+)$/.exec(line) ?? []
    return value === undefined || !name.startsWith(prefix) ? [] : [[name, Number(value)]]
  })
  return new Map(pairs)
}

/** Lists every statistic that has changed, by name in ascending order, with what was added to it. */
export function changesBetween(before: Figures, now: Figures) {
  return (
    [...now]
      .map(([name, value]) => ({ name, value, earlier: before.get(name) ?? 0 }))
      .filter(({ value, earlier }) => value !== earlier)
      // A counter that is smaller than before began again at 0.
      .map(({ name, value, earlier }) => ({ name, value, added: value > earlier ? value - earlier : value }))
      .sort((one, other) => (one.name < other.name ? -1 : 1))
  )
}
