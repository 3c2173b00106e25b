/** Measurements and their report: interleaved rounds, medians, ratios of one run, Markdown tables. */

/** The middle value; the upper one of two. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

/** The value below which the given part (0 to 1) of the values lies. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((left, right) => left - right)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

/** Result of one run. */
export interface Sample {
  readonly perSecond: number
  /** Processor time of the runtime for one answer, in microseconds; NaN where it cannot be read. */
  readonly micros: number
}

/** The samples of every measurement, one per round. */
export type Samples = ReadonlyMap<string, readonly Sample[]>

/** Runs every measurement once per round, one after the other, so that a slow moment hits all of them alike. */
export async function interleave(
  rounds: number,
  measurements: ReadonlyMap<string, () => Promise<Sample>>,
): Promise<Samples> {
  const samples = new Map<string, Sample[]>([...measurements.keys()].map((name) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const [name, measure] of measurements) samples.get(name)?.push(await measure())
  }
  return samples
}

/** The median of a measurement. */
export function middle(samples: Samples, name: string, field: keyof Sample): number {
  return median((samples.get(name) ?? []).map((sample) => sample[field]))
}

/**
 * Compares a measurement with another round by round: above 1 it is the faster of the two, in answers a second or in
 * processor time. The median, with the extremes in brackets.
 */
export function ratioText(samples: Samples, name: string, base: string, field: keyof Sample): string {
  const bases = samples.get(base) ?? []
  const each = (samples.get(name) ?? []).map((sample, round) => {
    const quotient = sample[field] / (bases[round]?.[field] ?? Number.NaN)
    return field === 'micros' ? 1 / quotient : quotient
  })
  if (each.some(Number.isNaN)) return ''
  return `${median(each).toFixed(2)} (${Math.min(...each).toFixed(2)} to ${Math.max(...each).toFixed(2)})`
}

/** Prints a Markdown table. */
export function printTable(heads: readonly string[], rows: readonly (readonly string[])[]): void {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  console.log([line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n'))
  console.log()
}

/** Rows of a comparison by name: each beside the one that it names, and the rate that it aims at. */
export type Comparisons = Readonly<Record<string, { readonly base?: string; readonly aim?: string }>>

/** Prints rates and processor time of what is compared; peers have their processor time in another process. */
export function printComparisons(head: string, comparisons: Comparisons, samples: Samples): void {
  printTable(
    [head, 'a second', 'compared with', 'rate', 'aim', 'processor time'],
    Object.entries(comparisons).map(([name, { base = '', aim = '' }]) => [
      name,
      middle(samples, name, 'perSecond').toFixed(0),
      base,
      base === '' ? '' : ratioText(samples, name, base, 'perSecond'),
      aim,
      base === '' || name.startsWith('peer') ? '' : ratioText(samples, name, base, 'micros'),
    ]),
  )
}
