/** Rules with what they decided and how full they are: as a list by fullness, and as a tree by domain. */

import type { Usage } from '#ratelimit/contract/usage.ts'
import type { LimitLine } from './limits.ts'
import { computeRates, sumDecided, sumDecisions } from './rates.ts'

/** A rule with its use. */
export interface RuleRow extends LimitLine {
  /** 0 to 1; null while no window is open. */
  readonly full: number | null
  /** Hits that count under the fullest key, and those that it has room for. */
  readonly used: number
  readonly capacity: number
  readonly key: string | null
  readonly endsAt: number
  readonly refused: number
  readonly shadow: number
  readonly trend: readonly (number | null)[]
}

/** The rules with their use, the fullest first. */
export function listRuleRows(lines: readonly LimitLine[], usage: Usage): readonly RuleRow[] {
  const fills = new Map(usage.fills.map((fill) => [fill.rule, fill]))
  const rows = lines.map((line): RuleRow => {
    const fill = fills.get(line.rule)
    const { limit: capacity = 0, remaining = 0, key = null, endsAt = 0 } = fill ?? {}
    const { refused, shadow } = sumDecisions(usage, line.rule)
    return {
      ...line,
      full: fill === undefined ? null : capacity === 0 ? 1 : 1 - remaining / capacity,
      used: capacity - remaining,
      capacity,
      key,
      endsAt,
      refused,
      shadow,
      trend: sumDecided(computeRates(usage, line.rule)),
    }
  })
  return rows.sort((one, other) => (other.full ?? -1) - (one.full ?? -1) || other.refused - one.refused)
}

/** A line of the tree: a domain, or a rule below it. */
export interface TreeRow {
  readonly domain: string
  /** 0 for a domain, 1 for a rule of it, one more below a rule whose name it continues. */
  readonly depth: number
  /** The domain, or what the name of the rule adds to the one above it. */
  readonly label: string
  /** Null for a domain. */
  readonly rule: RuleRow | null
  /** Refused by the rule, or by all rules of the domain. */
  readonly refused: number
}

/** Orders rules as a tree: below each domain by name, each below the longest rule that its name continues. */
export function buildTree(rows: readonly RuleRow[]): readonly TreeRow[] {
  const domains = [...new Set(rows.map(({ domain }) => domain))].sort()
  return domains.flatMap((domain) => {
    const own = rows.filter((row) => row.domain === domain)
    const refused = own.reduce((sum, row) => sum + row.refused, 0)
    return [{ domain, depth: 0, label: domain, rule: null, refused }, ...below(domain, own)]
  })
}

function below(domain: string, rows: readonly RuleRow[]): readonly TreeRow[] {
  const above: string[] = [domain]
  return [...rows].sort(byParts).map((row): TreeRow => {
    while (above.length > 1 && !row.rule.startsWith(`${above.at(-1)}.`)) above.pop()
    const label = row.rule.slice((above.at(-1) ?? '').length + 1)
    const depth = above.length
    above.push(row.rule)
    return { domain, depth, label, rule: row, refused: row.refused }
  })
}

/** A name comes right before the names that continue it: a dot sorts before every other character. */
function byParts({ rule: one }: RuleRow, { rule: other }: RuleRow): number {
  const [a, b] = [one.replaceAll('.', '\0'), other.replaceAll('.', '\0')]
  return a < b ? -1 : a > b ? 1 : 0
}
