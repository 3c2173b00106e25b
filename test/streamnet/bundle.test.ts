/** The client bundled by esbuild: what is in it, its sizes, and that it runs in Node, a Worker and a browser. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { bindOperations, createClient, createSigner, NetClient, operations } from '#streamnet/index.ts'
import { chromiumPath, startBrowser } from '../support/chromium.ts'
import { bundleClient, clientEntries } from '../support/client-bundle.ts'
import { makeFolder } from '../support/folder.ts'
import { type LoopbackServer, startLoopbackServer } from '../support/loopback-server.ts'
import { startWorkerd } from '../support/workerd.ts'

describe.each(Object.entries(clientEntries))('a bundle of %s', (_, contents) => {
  test('holds no Node module and no library but noble', async () => {
    const { text, inputs } = await bundleClient(contents)
    const foreign = inputs.filter((path) => !/^(src\/(streamnet|base)\/|node_modules\/@noble\/|<stdin>)/.test(path))
    expect(foreign).toEqual([])
    expect(text).not.toMatch(/\bfrom\s*["']|\brequire\(|\bprocess\.|\bBuffer\./)
  })
})

describe('bundle sizes, gzipped', () => {
  // Of these, noble is 5.9 kB of each that signs: the curve and Keccak; SHA-256 and HMAC are WebCrypto's.
  test.each([
    ['oneRead', 8_700],
    ['walletInsert', 9_680],
    ['localClient', 11_000],
    ['oneInsert', 12_790],
    ['streamsClient', 18_790],
    ['netClient', 36_130],
    ['everything', 44_660],
  ] as const)('%s stays below %i bytes', async (name, limit) => {
    expect((await bundleClient(clientEntries[name])).gzippedBytes).toBeLessThan(limit)
  })
})

const key = '11'.repeat(32)
const streamId = `st${'0'.repeat(30)}`
const records = [{ date: 1, value: '1.5' }]

describe('the client runs unchanged', () => {
  let home: LoopbackServer

  beforeAll(async () => {
    home = await startLoopbackServer()
  })
  afterAll(() => home.close())

  const expectInserted = (hash: unknown) => {
    expect(home.node.included.get(String(hash))?.code).toBe(0)
  }

  test('in Node, over the platform’s own fetch, clock and timers', async () => {
    expectInserted(await new NetClient(home.endpoint, key).insertRecords({ streamId, records }))
  })

  test('with the operations that a program names', async () => {
    const { getRecords, insertRecords } = operations
    const client = createClient({ endpoint: home.endpoint, signer: createSigner(key) })
    const feed = bindOperations(client, { getRecords, write: insertRecords })
    expectInserted(await feed.write({ streamId, records }, { timeoutMs: 60_000 }))
    await expect(feed.getRecords({ streamId: 'st1' })).rejects.toMatchObject({ code: 'invalid_argument' })
    expect(feed).not.toHaveProperty('insertRecords')
  })

  test('inserts a record in workerd', async () => {
    const { text } = await bundleClient(`
      import { NetClient } from './src/streamnet/index.ts'
      export default {
        async fetch() {
          const client = new NetClient('${home.endpoint}', '${key}')
          return new Response(await client.insertRecords(${JSON.stringify({ streamId, records })}))
        },
      }`)
    const folder = makeFolder(onTestFinished)
    const script = join(folder, 'client.js')
    writeFileSync(script, text)
    const workerd = await startWorkerd({ script, folder })
    try {
      expectInserted(await (await fetch(workerd.url)).text())
    } finally {
      await workerd.kill()
    }
  })

  test.skipIf(chromiumPath === null)('in a browser (skipped without Chromium)', async () => {
    const { text } = await bundleClient(clientEntries.netClient, { format: 'iife', globalName: 'streamnet' })
    const running = await startBrowser()
    try {
      const page = await running.newPage()
      await page.goto(home.endpoint)
      const call = `new streamnet.NetClient(${JSON.stringify(home.endpoint)}, ${JSON.stringify(key)})
        .insertRecords(${JSON.stringify({ streamId, records })})`
      expectInserted(await page.evaluate(`${text}; ${call}`))
    } finally {
      await running.close()
    }
  })
})
