/** Reservations in descriptors: the entry that names one, and the outcome of settlements. */

import { describe, expect, it } from 'vitest'
import { createMemoryStore } from '#limiter/memory-store.ts'
import { compileLists, type ListName, withLists } from '#ratelimit/lists/lists.ts'
import { readSteps, settlementError } from '#ratelimit/reservation/descriptor-step.ts'
import { settlementFaults } from '#ratelimit/reservation/reservations.ts'
import type { RuleBook } from '#ratelimit/rule-book.ts'
import { shouldRateLimit } from '#ratelimit/service.ts'
import { readSettings } from '#ratelimit/settings.ts'
import type { Descriptor, RateLimitRequest } from '#ratelimit/types.ts'
import { createUsageAccumulator } from '#ratelimit/usage/usage-accumulator.ts'
import { compileShop, named } from '../../support/compile-rules.ts'
import { createStatTable } from '../../support/memory-stats.ts'

const reserving = compileShop(
  '  - key: k',
  '    rate_limit: {unit: day, requests_per_unit: 10, sluice: {unsettled: charged}}',
  '  - key: held',
  '    rate_limit: {unit: minute, requests_per_unit: 1, sluice: {algorithm: concurrency}}',
  '  - key: plain',
  '    rate_limit: {unit: day, requests_per_unit: 10}',
)
const plain = compileShop('  - {key: k, rate_limit: {unit: day, requests_per_unit: 10}}')

const entry = (key: string, value: string) => ({ key, value })
const withStep = (key: string, action: string, id: string, options: Partial<Descriptor> = {}): Descriptor => ({
  ...options,
  entries: [entry(key, 'v'), entry(`sluice.${action}`, id)],
})
const ask = (...descriptors: readonly Descriptor[]): RateLimitRequest => ({
  domain: 'shop',
  descriptors,
  hitsAddend: 0,
})

describe('readSteps()', () => {
  it('takes the last entry off, in a domain that has reservations', () => {
    const request = ask(withStep('k', 'reserve', 'a'), withStep('k', 'settle', 'a'))
    expect(readSteps(request, reserving).descriptors).toEqual([
      { entries: [entry('k', 'v')], step: { action: 'reserve', id: 'a' } },
      { entries: [entry('k', 'v')], step: { action: 'settle', id: 'a' } },
    ])
    expect(readSteps(request, plain)).toBe(request)
    expect(readSteps(request, null)).toBe(request)
    const other = { ...request, domain: 'other' }
    expect(readSteps(other, reserving)).toBe(other)
  })

  it('leaves other entries, entries elsewhere, and hits that are given back', () => {
    const untouched = [
      named('k'),
      { entries: [entry('sluice.reserve', 'a'), entry('k', 'v')] },
      { entries: [] },
      withStep('k', 'reserve', 'a', { isNegativeHits: true }),
      { entries: [entry('k', 'v'), entry('constructor', 'a')] },
    ]
    expect(readSteps(ask(...untouched), reserving).descriptors).toEqual(untouched)
  })

  it('counts hits with an empty id as any others', () => {
    expect(readSteps(ask(withStep('k', 'reserve', '')), reserving).descriptors).toEqual([
      { entries: [entry('k', 'v')] },
    ])
  })
})

describe('settlementError()', () => {
  it.each(settlementFaults)('has a code for %s', (fault) => {
    const error = settlementError({ at: 1, id: 'x'.repeat(100), fault })
    expect(error.code).toBe(`reservation_${fault}`)
    expect(error.message).toMatch(/^Cannot settle descriptors\[1\]: reservation "x{40}" .*, expected /)
  })
})

describe('shouldRateLimit() with reservations', () => {
  function open() {
    const table = createStatTable(1000)
    const usage = createUsageAccumulator(() => 0)
    const context = {
      ...{
        rules: reserving as RuleBook,
        settings: readSettings({}),
        overLimitCache: null,
        drawId: () => 'id',
        nowMs: 0,
      },
      counters: createMemoryStore(() => 0),
      stats: { record: table.add },
      usage,
    }
    const stat = (name: string) => table.list().find((sum) => sum.name === `ratelimit.service.${name}`)?.value ?? 0
    return {
      decide: (...descriptors: readonly Descriptor[]) => shouldRateLimit(ask(...descriptors), context),
      list: (list: ListName | null) => {
        const listing = { domain: 'shop', key: 'k', value: 'v', isNetwork: false, until: null }
        context.rules = withLists(reserving, compileLists(1, list === null ? [] : [{ ...listing, list }]))
      },
      stat,
      usage,
    }
  }

  it('counts estimates as hits, and costs apart', async () => {
    const { decide, stat } = open()
    await decide(withStep('k', 'reserve', 'a', { hitsAddend: 8n }))
    const { statuses } = await decide(withStep('k', 'settle', 'a', { hitsAddend: 12n }))
    expect(statuses).toMatchObject([{ code: 'OK', limitRemaining: 0 }])
    expect((await decide(named('k'))).overallCode).toBe('OVER_LIMIT')
    expect([stat('rate_limit.shop.k.total_hits'), stat('rate_limit.shop.k.settled_hits')]).toEqual([9, 12])
  })

  it('refuses a hit of a limit of concurrency that names no holder, and lets one look', async () => {
    const { decide, stat } = open()
    await expect(decide(named('held'))).rejects.toMatchObject({ code: 'malformed_request' })
    await decide(withStep('held', 'reserve', 'a'))
    expect((await decide(withStep('held', 'reserve', 'b'))).overallCode).toBe('OVER_LIMIT')
    expect((await decide(named('held', { hitsAddend: 0n }))).statuses).toMatchObject([{ limitRemaining: 0 }])
    const { statuses } = await decide(withStep('held', 'settle', 'a', { hitsAddend: 5n }))
    expect(statuses).toMatchObject([{ code: 'OK', limitRemaining: 1 }])
    expect([stat('call.should_rate_limit.service_error'), stat('rate_limit.shop.held.settled_hits')]).toEqual([1, 0])
  })

  it('counts as usage when it reserves, and samples the descriptor without the entry', async () => {
    const { decide, usage } = open()
    await decide(withStep('k', 'reserve', 'a', { hitsAddend: 8n }))
    await decide(withStep('k', 'settle', 'a', { hitsAddend: 2n }))
    await decide(withStep('k', 'reserve', 'b'))
    await decide(named('plain'), withStep('k', 'settle', 'b'))
    const { counts = [], samples = [] } = usage.take() ?? {}
    expect(counts.map(({ rule, admitted }) => [rule, admitted])).toEqual([
      ['shop.k', 2],
      ['', 3],
      ['shop.plain', 1],
    ])
    expect(samples.map(({ request }) => request.descriptors)).toEqual([[named('k', { hitsAddend: 8n })], [named('k')]])
  })

  it('fails after the rest of the request has counted', async () => {
    const { decide, stat } = open()
    await expect(decide(named('plain'), withStep('k', 'settle', 'a'))).rejects.toMatchObject({
      code: 'reservation_not_found',
    })
    expect([stat('rate_limit.shop.plain.total_hits'), stat('settlement.not_found')]).toEqual([1, 1])
  })

  it('settles a value that an allow list has let pass, and what was reserved before a list had it', async () => {
    const { decide, list, stat } = open()
    await decide(withStep('k', 'reserve', 'a', { hitsAddend: 8n }))
    await decide(withStep('k', 'reserve', 'b', { hitsAddend: 1n }))
    list('allow')
    await decide(withStep('k', 'reserve', 'c', { hitsAddend: 5n }))
    for (const id of ['a', 'c']) await decide(withStep('k', 'settle', id, { hitsAddend: 2n }))
    await expect(decide(withStep('k', 'settle', 'a'))).rejects.toMatchObject({ code: 'reservation_settled' })
    list('deny')
    const denied = await decide(withStep('k', 'settle', 'b', { hitsAddend: 1n }))
    expect([denied.overallCode, stat('settlement.not_found')]).toEqual(['OK', 0])
    await expect(decide(withStep('k', 'settle', 'c'))).rejects.toMatchObject({ code: 'reservation_not_found' })
    list(null)
    expect((await decide(named('k'))).statuses).toMatchObject([{ limitRemaining: 6 }])
  })

  it('reserves nothing with a limit that takes no reservations, and settles nothing there', async () => {
    const { decide } = open()
    const first = await decide(withStep('plain', 'reserve', 'a', { hitsAddend: 3n }))
    expect(first.statuses).toMatchObject([{ limitRemaining: 7 }])
    await expect(decide(withStep('plain', 'settle', 'a', { hitsAddend: 1n }))).rejects.toThrow('"a" is not known here')
    expect((await decide(named('plain'))).statuses).toMatchObject([{ limitRemaining: 6 }])
  })
})
