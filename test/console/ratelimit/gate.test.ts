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
/** Each has been refused once besides. */
const [ofShop, ofGate] = [5, 90]
const rows = [
  row('shop', '', ofShop),
  row(domainOfGate, '', ofGate),
  row(domainOfGate, `${domainOfGate}.token`, ofGate),
]
const usage = { from: 0, to: 60, step: 1, since: 0, rows, fills: [] }

describe('isShown()', () => {
  it('shows every domain but that of the gate, which is shown when it is chosen', () => {
    const shown = (chosen: string | null) => ['shop', domainOfGate].filter((one) => gate.isShown(one, chosen))
    expect([shown(null), shown('shop'), shown(domainOfGate)]).toEqual([['shop'], ['shop'], [domainOfGate]])
  })
})

describe('shownUsage()', () => {
  it('keeps the decisions of callers, and those of the gate where it is chosen', () => {
    expect(gate.shownUsage(usage, null).rows).toEqual([rows[0]])
    expect(gate.shownUsage(usage, domainOfGate).rows).toEqual(rows.slice(1))
  })
})

describe('gateRequests()', () => {
  it('counts a request of the gate once, however many rules have decided on it', () => {
    expect(gate.gateRequests(usage)).toBe(ofGate + 1)
  })
})

describe('shownTop()', () => {
  it('keeps the keys of callers', () => {
    const keyOf = (domain: string) => ({ key: domain, count: 1, error: 0, label: { domain, rule: '', entries: [] } })
    const top = { from: 0, used: [keyOf('shop'), keyOf(domainOfGate)], refused: [keyOf(domainOfGate)] }
    expect(gate.shownTop(top, null)).toEqual({ from: 0, used: [keyOf('shop')], refused: [] })
  })
})
