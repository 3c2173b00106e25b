import { expect, it } from 'vitest'
import { computeRates, type Rates, sumDecided, sumRequests } from '#console/ratelimit/rates.ts'
import type { Usage } from '#ratelimit/contract/usage.ts'

const rates: Rates = { x: [0, 60], admitted: [null, 2], refused: [null, 1], shadow: [null, 4], unknownUntil: 60 }

it('sumDecided() leaves out decisions in a shadow, sumRequests() has them, and both are null where nothing is known', () => {
  expect(sumDecided(rates)).toEqual([null, 3])
  expect(sumRequests(rates)).toEqual([null, 7])
})

it('computeRates() gives the rates of one rule per second, and the end of the time of which nothing is known', () => {
  const usage: Usage = {
    from: 0,
    to: 180,
    step: 60,
    since: 90,
    rows: [
      { start: 60, domain: 'shop', rule: '', admitted: 60, refused: 30, shadow: 120 },
      { start: 60, domain: 'shop', rule: 'shop.login', admitted: 600, refused: 0, shadow: 0 },
    ],
    fills: [],
  }
  const found = computeRates(usage, '')
  expect(found).toEqual({
    x: [0, 60, 120],
    admitted: [null, 1, 0],
    refused: [null, 0.5, 0],
    shadow: [null, 2, 0],
    unknownUntil: 90,
  })
  expect(sumRequests(found)).toEqual([null, 3.5, 0])
})
