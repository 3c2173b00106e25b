/** Buses for phasor measurement units: a unit sees its own bus and those that its branches lead to. */

/** Chooses buses that see all others: each time the one that sees most of the unseen; then needless ones go. */
export function placePmus(neighbours: readonly (readonly number[])[]): readonly number[] {
  const sees = neighbours.map((others, at) => new Set([at, ...others]))
  const unseen = new Set(sees.keys())
  const chosen: number[] = []
  while (unseen.size > 0) {
    const gains = sees.map((seen) => [...seen].filter((bus) => unseen.has(bus)).length)
    const best = gains.indexOf(Math.max(...gains))
    chosen.push(best)
    for (const bus of sees[best] ?? []) unseen.delete(bus)
  }
  return dropNeedless(chosen, sees).toSorted((one, other) => one - other)
}

function dropNeedless(chosen: readonly number[], sees: readonly ReadonlySet<number>[]): readonly number[] {
  let kept = chosen
  for (const bus of chosen) {
    const others = kept.filter((other) => other !== bus)
    const seen = new Set(others.flatMap((other) => [...(sees[other] ?? [])]))
    if (seen.size === sees.length) kept = others
  }
  return kept
}
