import { describe, expect, test } from 'vitest'
import { withOptions } from '#streamnet/call-options.ts'
import { createClient } from '#streamnet/client.ts'
import { NetClient } from '#streamnet/net-client.ts'
import { deployStream, whoami } from '#streamnet/operations.ts'
import { createSigner } from '#streamnet/signing/signer.ts'
import { createLoopbackNode } from '../support/loopback-node.ts'

const key = '11'.repeat(32)
const streamId = `st${'0'.repeat(30)}`

/** A loopback node whose answers can be held back; what is held back ends by its signal. */
function startHeldNode() {
  const node = createLoopbackNode()
  let held: string | undefined
  let note = () => {}
  const asked = new Promise<void>((resolve) => {
    note = resolve
  })
  const fetch: typeof node.platform.fetch = async (url, init) => {
    if (held === undefined || !String(init.body).includes(held)) return node.platform.fetch(url, init)
    // The node has it; its answer does not come.
    await node.platform.fetch(url, init)
    note()
    return new Promise((_, reject) => {
      init.signal?.addEventListener('abort', () => reject(init.signal?.reason))
    })
  }
  const platform = { ...node.platform, fetch, deadline: (ms: number) => AbortSignal.timeout(ms) }
  const hold = (method: string) => {
    held = method
  }
  return { node, platform, hold, asked }
}

describe('withOptions()', () => {
  test('with a signal that is aborted already sends nothing and uses no nonce', async () => {
    const { node, platform } = startHeldNode()
    const client = createClient({ endpoint: node.endpoint, signer: createSigner(key), platform })
    const ended = withOptions(client, { signal: AbortSignal.abort() })
    await expect(whoami(ended)).rejects.toMatchObject({ code: 'aborted' })
    await expect(deployStream(ended, { streamId })).rejects.toMatchObject({ code: 'aborted', data: {} })
    await expect(ended.chain()).rejects.toMatchObject({ code: 'aborted' })
    expect(node.requests).toEqual([])
    await deployStream(client, { streamId })
    expect(node.executed).toHaveLength(1)
  })

  test('ends a read that is under way, and repeats it no more', async () => {
    const { node, platform, hold, asked } = startHeldNode()
    const client = createClient({ endpoint: node.endpoint, platform })
    const controller = new AbortController()
    hold('user.call')
    const reading = whoami(withOptions(client, { signal: controller.signal }))
    await asked
    controller.abort()
    await expect(reading).rejects.toMatchObject({
      code: 'aborted',
      message: 'Cannot call user.call: its caller ended it',
    })
    expect(node.requests).toHaveLength(1)
  })

  test('names the hash of a transaction that was on its way, which is not sent again', async () => {
    const { node, platform, hold, asked } = startHeldNode()
    const client = createClient({ endpoint: node.endpoint, signer: createSigner(key), platform })
    const controller = new AbortController()
    hold('user.broadcast')
    const writing = deployStream(withOptions(client, { signal: controller.signal }), { streamId })
    await asked
    controller.abort()
    const [hash] = node.included.keys()
    await expect(writing).rejects.toMatchObject({ code: 'aborted', data: { hash } })
    expect(node.executed).toHaveLength(1)
  })

  test('ends after its time, waits of a client included, and leaves the queue of the key', async () => {
    const { node, platform, hold, asked } = startHeldNode()
    const client = createClient({ endpoint: node.endpoint, signer: createSigner(key), platform })
    hold('user.broadcast')
    const controller = new AbortController()
    const first = deployStream(withOptions(client, { signal: controller.signal }), { streamId })
    await asked
    // The second waits for its turn.
    await expect(deployStream(withOptions(client, { timeoutMs: 5 }), { streamId })).rejects.toMatchObject({
      code: 'timeout',
    })
    controller.abort()
    await expect(first).rejects.toMatchObject({ code: 'aborted' })
    expect(node.executed).toHaveLength(1)
    expect(() => withOptions(client, { timeoutMs: 0 })).toThrow('timeout_ms must be 1 to 2^31 - 1')
    expect(withOptions(client, {})).toBe(client)
  })

  test('is the second argument of every operation of NetClient', async () => {
    const { node, platform } = startHeldNode()
    const client = new NetClient(node.endpoint, key, { platform })
    const ended = { signal: AbortSignal.abort() }
    await expect(client.listStreams({ limit: 1 }, ended)).rejects.toMatchObject({ code: 'aborted' })
    await expect(client.whoami({}, ended)).rejects.toMatchObject({ code: 'aborted' })
    expect(node.requests).toEqual([])
  })
})

describe('the setting retries', () => {
  test('says how often and after which errors a read is repeated; a transaction never is', async () => {
    const node = createLoopbackNode()
    const signer = createSigner(key)
    const asks = async (
      retries: NonNullable<Parameters<typeof createClient>[0]['retries']>,
      kind: 'refused' | 'rate_limited',
    ) => {
      const own = createLoopbackNode()
      for (let count = 0; count < 9; count++) own.fail('user.call', kind)
      const client = createClient({ endpoint: own.endpoint, platform: own.platform, retries })
      await expect(whoami(client)).rejects.toThrow('Cannot call user.call')
      return [own.requests.length, own.sleeps]
    }
    expect(await asks({}, 'refused')).toEqual([3, [250, 500]])
    expect(await asks({ maxAttempts: 1 }, 'refused')).toEqual([1, []])
    expect(await asks({ maxAttempts: 4, delayMs: 10 }, 'refused')).toEqual([4, [10, 20, 30]])
    expect(await asks({ codes: ['rate_limited'] }, 'rate_limited')).toEqual([3, [250, 500]])
    expect(await asks({ codes: ['rate_limited'] }, 'refused')).toEqual([1, []])
    node.fail('user.broadcast', 'refused')
    const writer = createClient({
      endpoint: node.endpoint,
      platform: node.platform,
      signer,
      retries: { maxAttempts: 9 },
    })
    await expect(deployStream(writer, { streamId })).rejects.toMatchObject({ code: 'connection_refused' })
    expect(node.requests.filter(({ method }) => method === 'user.broadcast')).toHaveLength(1)
    expect(() => createClient({ endpoint: node.endpoint, retries: { maxAttempts: 0 } })).toThrow('retries must have')
  })
})
