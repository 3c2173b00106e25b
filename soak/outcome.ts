/** The result of one soak, and its report: a table row, and every violation with what shows it. */

/** The result of a soak. */
export interface Outcome {
  /** Work done, as a count: "50 kills", "200,000 keys". */
  readonly done: string
  /** Measurements beside it, as short facts. */
  readonly facts: readonly string[]
  /** Events that must never happen, each with its reproduction. Empty when all held. */
  readonly violations: readonly string[]
}

/** One soak: `scale` 1 is its full size, 0.01 a hundredth of it. */
export type Soak = (scale: number) => Promise<Outcome>

/** A size at a scale: at least one. */
export function scaled(full: number, scale: number): number {
  return Math.max(1, Math.round(full * scale))
}

/** Gathers violations: the first ten whole, the others as a count. */
export interface Violations {
  add(text: string): void
  list(): readonly string[]
}

/** Starts with no violation. */
export function gatherViolations(): Violations {
  const first: string[] = []
  let count = 0
  return {
    add(text) {
      count += 1
      if (first.length < 10) first.push(text)
    },
    list: () => (count > first.length ? [...first, `and ${count - first.length} more`] : first),
  }
}

/** Prints a line of progress, with the seconds since the soak began; the outcome has standard output to itself. */
export function say(text: string): void {
  console.error(`      ${Math.round(performance.now() / 1000)} s: ${text}`)
}

/** A count for people: 200,000. */
export function grouped(count: number): string {
  return count.toLocaleString('en-US')
}

/** Counts by name. */
export interface Tally {
  add(name: string | number): void
  count(name: string | number): number
  /** The counts as a fact: `200: 12, 429: 3`. */
  text(): string
}

/** Starts with every count at zero. */
export function createTally(): Tally {
  const counts = new Map<string, number>()
  return {
    add: (name) => counts.set(String(name), (counts.get(String(name)) ?? 0) + 1),
    count: (name) => counts.get(String(name)) ?? 0,
    text: () => [...counts].map(([name, count]) => `${name}: ${grouped(count)}`).join(', '),
  }
}
