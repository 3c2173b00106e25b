import { describe, expect, it } from 'vitest'
import { maxWaitMs, runOperation, usualWaitMs } from '#gateway/handle.ts'
import { type Client, createClient, createSigner, defaultPlatform } from '#streamnet/index.ts'

/** A client of a node that gives these results by method, one after the other; the last one stays. */
function clientOf(
  results: Readonly<Record<string, readonly unknown[]>>,
  onSleep: () => void = () => undefined,
): Client {
  const asked = new Map<string, number>()
  let now = 0
  return createClient({
    endpoint: 'http://node.test',
    signer: createSigner('1'.padStart(64, '0')),
    platform: {
      ...defaultPlatform,
      now: () => now,
      sleep: async (ms) => {
        now += ms
        onSleep()
      },
      async fetch(_, init) {
        const { id, method } = JSON.parse(String(init.body))
        const list = results[method] ?? []
        const at = asked.get(method) ?? 0
        asked.set(method, at + 1)
        return Response.json({ jsonrpc: '2.0', id, result: list[Math.min(at, list.length - 1)] })
      },
    },
  })
}

const text = { name: 'text', is_array: false, metadata: [0, 0] }
const table = (columns: readonly string[], values: readonly unknown[][]) => ({
  query_result: { column_names: columns, column_types: columns.map(() => text), values },
  logs: '',
  error: null,
})

describe('runOperation()', () => {
  it('runs an operation by its exact name with the parameters of the client', async () => {
    const client = clientOf({ 'user.call': [table(['value_s'], [['composed']])] })
    expect(await runOperation(client, 'get_type', { streamId: `st${'a'.repeat(30)}` })).toBe('composed')
    expect(await runOperation(client, 'generate_stream_id', { name: 'x' })).toMatch(/^st/)
  })

  it('finds no other name, not even that of a method of the client', async () => {
    for (const name of ['getType', 'constructor', 'iterate_streams', 'insert_all']) {
      await expect(runOperation(clientOf({}), name, {})).rejects.toMatchObject({ code: 'unknown_operation' })
    }
  })

  it.each([
    ['nothing is said', {}, usualWaitMs],
    ['less is asked for', { timeoutMs: 2000 }, 2000],
    ['more is asked for than a request may take', { timeoutMs: 1e9 }, maxWaitMs],
  ])('waits for a block as long as it may when %s', async (_, params, ms) => {
    let slept = 0
    const client = clientOf({ 'user.tx_query': [{ tx_hash: '', height: -1, tx: null, tx_result: null }] }, () => {
      slept += 1
    })
    const run = runOperation(client, 'wait_for_tx', { txHash: 'ab'.repeat(32), ...params })
    await expect(run).rejects.toMatchObject({ code: 'timeout' })
    expect(slept).toBe(ms / 1000)
  })
})
