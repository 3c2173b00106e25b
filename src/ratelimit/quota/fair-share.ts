/** Max-min fair shares: no holder gets more than it asks for while another asks for more than it gets. */

/**
 * Divides a capacity by demand.
 *
 * Holders that ask for less than an equal part get what they ask for; the others share the rest in equal parts. What
 * is left when every demand is met is divided in equal parts as well, so that a demand that grows finds room.
 *
 * @param demands - what each holder asks for, 0 or more, in any unit.
 * @param capacity - what there is, 0 or more, in the same unit.
 * @returns shares in the order of the demands; their sum is the capacity, up to rounding.
 */
export function fairShares(demands: readonly number[], capacity: number): readonly number[] {
  const shares: number[] = new Array(demands.length).fill(0)
  const byDemand = demands.map((demand, at) => ({ demand, at })).sort((one, other) => one.demand - other.demand)
  let rest = Math.max(0, capacity)
  for (const [taken, { demand, at }] of byDemand.entries()) {
    const share = Math.min(Math.max(0, demand), rest / (byDemand.length - taken))
    shares[at] = share
    rest -= share
  }
  const extra = rest / Math.max(1, demands.length)
  return shares.map((share) => share + extra)
}
