/** The blocks that listeners are sent: in order, each once, and those they missed. */

import { describe, expect, it } from 'vitest'
import { createBlockSubject } from '#objects/streamnet/watch/blocks.ts'
import { createChain } from './watched-chain.ts'

describe('createBlockSubject()', () => {
  it('sends each listener the blocks since its own beginning, in their order and each once', async () => {
    const chain = createChain(5)
    const blocks = createBlockSubject()
    const early = await chain.listen(blocks)
    chain.height = 7
    const late = await chain.listen(blocks)
    expect(await blocks.look(chain.client)).toBe(true)
    expect(await blocks.look(chain.client)).toBe(false)
    chain.height = 8
    await blocks.look(chain.client)
    expect(await early.blocks()).toEqual([
      ['5', []],
      ['7', [6, 7]],
      ['8', [8]],
    ])
    expect(await late.blocks()).toEqual([
      ['7', []],
      ['8', [8]],
    ])
  })

  it('sends a listener that reconnects what it missed, at most the last hundred', async () => {
    const chain = createChain(300)
    const blocks = createBlockSubject()
    const first = async (id: string) => (await (await chain.listen(blocks, id)).blocks())[0]
    expect(await first('297')).toEqual(['300', [298, 299, 300]])
    const [, most] = (await first('0')) ?? []
    expect([most?.length, most?.[0], most?.at(-1)]).toEqual([100, 201, 300])
    expect(await first('999')).toEqual(['300', []])
  })

  it('sends nothing twice where two looks meet, and nothing to a listener that has left', async () => {
    const chain = createChain(1)
    const blocks = createBlockSubject()
    const stays = await chain.listen(blocks)
    const goes = await chain.listen(blocks)
    chain.height = 3
    const looks = [blocks.look(chain.client), blocks.look(chain.client)]
    blocks.leave(goes.listener)
    await Promise.all(looks)
    expect((await stays.blocks()).slice(1)).toEqual([['3', [2, 3]]])
    expect(await goes.blocks()).toEqual([['1', []]])
  })

  it('reads a thousand blocks a look, and sends again the blocks of a chain that was taken back', async () => {
    const chain = createChain(1)
    const blocks = createBlockSubject()
    const listener = await chain.listen(blocks)
    chain.height = 1500
    for (let look = 0; look < 2; look++) await blocks.look(chain.client)
    chain.height = 1498
    await blocks.look(chain.client)
    chain.height = 1499
    await blocks.look(chain.client)
    const told = await listener.blocks()
    expect(told.map(([id, heights]) => [id, heights[0], heights.length])).toEqual([
      ['1', undefined, 0],
      ['1001', 2, 1000],
      ['1500', 1002, 499],
      ['1499', 1499, 1],
    ])
  })

  it('leaves out blocks that the node has pruned', async () => {
    const chain = createChain(10)
    chain.pruned = 8
    const listener = await chain.listen(createBlockSubject(), '5')
    expect(await listener.blocks()).toEqual([['10', [9, 10]]])
  })
})
