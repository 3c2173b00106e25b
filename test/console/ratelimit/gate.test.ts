/** Decisions of the services' own gate: apart from those of callers, and never hidden. */

import { beforeAll, describe, expect, it } from 'vitest'
import { gateDomain as domainOfGate } from '#edge/gate.ts'
import type { UsageRow } from '#ratelimit/contract/usage.ts'
import { stubPage } from '#test/support/page-globals.ts'

let gate: typeof import('#console/ratelimit/gate.ts')

beforeAll(async () => {
  stubPage()
  gate = await import('#console/ratelimit/gate.ts')
})

const row = (domain: string, rule: string, admitted: number): UsageRow => ({
  start: 0,
  domain,
  rule,
  admitted,
  refused: 1,
  shadow: 0,
})
const rows = [row('shop', '', 5), row('sluice', '', 90), row('sluice', 'sluice.token', 90)]
const usage = { from: 0, to: 60, step: 1, since: 0, rows, fills: [] }

describe('isShown()', () => {
  it('shows every domain but that of the gate, which is shown when it is chosen', () => {
    const shown = (chosen: string | null) => ['shop', domainOfGate].filter((one) => gate.isShown(one, chosen))
    expect([shown(null), shown('shop'), shown(domainOfGate)]).toEqual([['shop'], ['shop'], [domainOfGate]])
  })
})

describe('shownUsage(), shownTop() and gateRequests()', () => {
  it('keep the decisions of callers, and count those of the gate once for each request', () => {
    expect(gate.shownUsage(usage, null).rows).toEqual([rows[0]])
    expect(gate.shownUsage(usage, 'sluice').rows).toEqual(rows.slice(1))
    expect(gate.gateRequests(usage)).toBe(91)
    const keyOf = (domain: string) => ({ key: domain, count: 1, error: 0, label: { domain, rule: '', entries: [] } })
    const top = { from: 0, used: [keyOf('shop'), keyOf('sluice')], refused: [keyOf('sluice')] }
    expect(gate.shownTop(top, null)).toEqual({ from: 0, used: [keyOf('shop')], refused: [] })
  })
})
