import { describe, expect, test } from 'vitest'
import { watchBlockEvents } from '#streamnet/gateway/blocks.ts'
import { follow, gateway, sends } from '../../support/gateway-events.ts'

const block = (height: number, hash = `h${height}`) => ({
  height,
  hash,
  previous_hash: `h${height - 1}`,
  time_ms: height * 1000,
  transactions: 1,
})
const blocks = (height: number, ...heights: readonly number[]) => ({ height, blocks: heights.map((one) => block(one)) })
const page =
  (...heights: readonly number[]) =>
  () =>
    Response.json({ result: blocks(99, ...heights) })
const isAway = () => new Response('', { status: 503 })

describe('watchBlockEvents()', () => {
  const heightsOf = async (script: readonly (() => Response)[], fromHeight?: number) => {
    const { seen, ...rest } = await follow(script, (client) => watchBlockEvents(client, { ...gateway, fromHeight }))
    return { heights: seen.map(({ height }) => height), ...rest }
  }

  test('gives blocks as they come, and goes on behind the last event', async () => {
    const { seen, asked } = await follow(
      [sends('blocks', blocks(4), blocks(6, 5, 6)), isAway, sends('blocks', blocks(7, 7))],
      (client) => watchBlockEvents(client, gateway),
    )
    expect(seen[0]).toEqual({ height: 5, hash: 'h5', previousHash: 'h4', timeMs: 5000, transactions: 1 })
    expect(seen.map(({ height }) => height)).toEqual([5, 6, 7])
    const path = '/blocks/events'
    expect(asked).toEqual([path, `${path} after 6`, `${path} after 6`, `${path} after 7`])
  })

  test('begins at a height, and reads by pages what the gateway does not send again', async () => {
    const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at)
    const pages = [page(...range(3, 102).reverse()), isAway, page(...range(103, 120).reverse())]
    const { heights, code, asked } = await heightsOf([sends('blocks', blocks(121, 121)), ...pages], 3)
    expect([heights, code]).toEqual([range(3, 121), 'aborted'])
    expect(asked.slice(0, 4)).toEqual([
      '/blocks/events after 2',
      '/blocks?before=103&limit=100',
      '/blocks?before=121&limit=18',
      '/blocks?before=121&limit=18',
    ])
  })

  test('leaves out what the node has pruned', async () => {
    expect((await heightsOf([sends('blocks', blocks(9, 8, 9)), page(6)], 5)).heights).toEqual([6, 8, 9])
  })

  test('ends where the chain was taken back, or goes on behind another block', async () => {
    const other = { height: 7, blocks: [{ ...block(7), previous_hash: 'other' }] }
    for (const second of [blocks(4), blocks(6, 6), other]) {
      const script = [sends('blocks', blocks(6, 5, 6), second)]
      expect(await heightsOf(script, 5)).toMatchObject({ heights: [5, 6], code: 'malformed_response' })
    }
    expect((await heightsOf([sends('blocks', blocks(3))], 9)).code).toBe('malformed_response')
  })

  test('ends with an event that has no blocks, and with what the gateway refuses', async () => {
    const { hash: _, ...nameless } = block(1)
    for (const blocks of [undefined, [{ height: 1 }], [1], [nameless]]) {
      const data = { height: 1, blocks }
      expect((await heightsOf([sends('blocks', data)])).code).toBe('malformed_response')
    }
    const refusal = () =>
      Response.json({ code: 'forbidden', detail: 'the token lacks the scope read' }, { status: 403 })
    expect((await heightsOf([refusal])).code).toBe('permission_denied')
  })
})
