/** Children that a composed stream is computed from, and the tokens that may see its values. */

import { describe, expect, it } from 'vitest'
import { assertCanRead, assertCanReadAll, readConstituents } from '#gateway/constituents.ts'
import { parseGrants } from '#gateway/tokens.ts'
import { createClient } from '#streamnet/index.ts'
import { createLoopbackNode } from '../support/loopback-node.ts'

const owner = `0x${'11'.repeat(20)}`
const other = `0x${'22'.repeat(20)}`
const index = { dataProvider: owner, streamId: `st${'a'.repeat(30)}` }
const child = { dataProvider: other, streamId: `st${'b'.repeat(30)}` }

function nodeWith(...streams: readonly (typeof index)[]) {
  const node = createLoopbackNode()
  node.answers.set('get_category_streams', {
    rows: streams.map(({ dataProvider, streamId }) => [dataProvider, streamId]),
  })
  return { node, client: createClient({ endpoint: node.endpoint, platform: node.platform }) }
}

function grantOf(...scopes: readonly string[]) {
  const [grant] = parseGrants(JSON.stringify([{ name: 'n', token: 'a-token-of-20-letters', scopes }]))
  if (grant === undefined) throw new Error('no grant')
  return grant
}

describe('readConstituents()', () => {
  it('gives the stream and those below it as areas', async () => {
    const { client } = nodeWith(index, child)
    expect(await readConstituents(client, index)).toEqual([`${owner}/${index.streamId}`, `${other}/${child.streamId}`])
  })

  it('gives nothing for a stream that does not exist, and passes on every other error', async () => {
    const { node, client } = nodeWith()
    node.answers.set('get_category_streams', { error: 'Stream does not exist: x' })
    expect(await readConstituents(client, index)).toEqual([])
    node.answers.set('get_category_streams', { error: 'out of order' })
    await expect(readConstituents(client, index)).rejects.toMatchObject({ code: 'action_failed' })
  })
})

describe('assertCanRead()', () => {
  const place = `${owner}/${index.streamId}`
  const isAllowed = async (...scopes: readonly string[]) => {
    const { node, client } = nodeWith(index, child)
    const error = await assertCanRead(client, grantOf(...scopes), index).catch((caught: unknown) => caught)
    return { error, asked: node.called.length }
  }

  it('refuses a token for the composed stream, or for its namespace, and says what would cover it', async () => {
    for (const scope of [`read:${place}`, `read:${owner}`]) {
      const { error } = await isAllowed(scope)
      expect(error).toMatchObject({
        code: 'forbidden',
        message: expect.stringContaining(`read:${other}/${child.streamId}`),
        hint: expect.stringContaining(`read:${place}/composed`),
      })
    }
  })

  it('takes a token for every part', async () => {
    expect((await isAllowed(`read:${place}`, `read:${other}`)).error).toBeUndefined()
  })

  it('asks the node nothing where the token covers the whole', async () => {
    for (const scope of ['read', `read:${place}/composed`]) {
      expect(await isAllowed(scope)).toEqual({ error: undefined, asked: 0 })
    }
  })
})

describe('assertCanReadAll()', () => {
  const places = Array.from({ length: 45 }, (_, at) => `${owner}/st${String(at).padStart(30, '0')}`)

  it('asks the node about each stream, and refuses one that is computed from what the token may not read', async () => {
    const { node, client } = nodeWith(index, child)
    await assertCanReadAll(client, grantOf(`read:${owner}`, `read:${other}`), places)
    expect(node.called.length).toBe(45)
    await expect(assertCanReadAll(client, grantOf(`read:${owner}`), places)).rejects.toMatchObject({
      code: 'forbidden',
    })
  })

  it('sends no request where the token may read all streams', async () => {
    const { node, client } = nodeWith(index, child)
    await assertCanReadAll(client, grantOf('read'), places)
    expect(node.called.length).toBe(0)
  })
})
