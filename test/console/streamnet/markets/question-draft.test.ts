import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Draft } from '#console/streamnet/markets/question-draft.ts'
import { stubPage } from '#test/support/page-globals.ts'

beforeAll(() => stubPage())
afterAll(() => {
  vi.unstubAllGlobals()
})

const draft: Draft = { stream: 'eggs', kind: 'above', bounds: { threshold: '3' }, date: '', collateral: 'testnet_b' }
const stream = { data_provider: '0xa', stream_id: 'st1' }

describe('readDraft()', () => {
  it('reads a question of one stream with its bounds and its date', async () => {
    const { readDraft } = await import('#console/streamnet/markets/question-draft.ts')
    expect(readDraft({ ...draft, date: '1970-01-02' }, [stream])).toEqual({
      stream,
      kind: 'above',
      thresholds: ['3'],
      at: 86_400,
    })
  })

  it.each([
    ['no date', { date: '' }, [stream]],
    ['blanks for a date', { date: ' ' }, [stream]],
    ['a date that is none', { date: '2026-02-30' }, [stream]],
    ['a bound that is missing', { date: '1970-01-02', bounds: {} }, [stream]],
    ['two streams of its name', { date: '1970-01-02' }, [stream, { ...stream, data_provider: '0xb' }]],
  ])('asks nothing with %s', async (_, part, found) => {
    const { readDraft } = await import('#console/streamnet/markets/question-draft.ts')
    expect(readDraft({ ...draft, ...part }, found)).toBeNull()
  })
})
