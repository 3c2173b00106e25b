import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { projectRoot } from '#bin/project.ts'
import { startTestNode } from '../support/devnode.ts'
import { listen } from '../support/listen.ts'

const run = promisify(execFile)
const node = startTestNode()
const owner = '1'.padStart(64, '0')
let endpoint = ''

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const send = request.url?.startsWith('/admin/') ? node.sendAdmin : node.send
  const answer = send(Buffer.concat(chunks).toString())
  if (typeof answer === 'string') response.destroy()
  else response.writeHead(answer.status).end(JSON.stringify(answer.body))
})

beforeAll(async () => {
  endpoint = `http://127.0.0.1:${await listen(server)}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

/** Runs an example as its first lines say, against a development node. */
async function runExample(name: string, ...args: readonly string[]): Promise<string> {
  const env = {
    ...process.env,
    STREAMNET_ENDPOINT: endpoint,
    STREAMNET_ADMIN: `${endpoint}/admin`,
    STREAMNET_PRIVATE_KEY: owner,
  }
  const file = `examples/streamnet/${name}.ts`
  const { stdout } = await run(process.execPath, [join(projectRoot, 'bin/run.mjs'), file, ...args], { env })
  return stdout
}

test('publish prints its records', async () => {
  const lines = (await runExample('publish')).trim().split('\n')
  expect(lines[0]).toMatch(/^st[0-9a-f]{30} is a primitive stream of 0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf$/)
  expect(lines.slice(1)).toEqual([
    '2023-11-14T22:13:20.000Z 101.500000000000000000',
    '2023-11-15T22:13:20.000Z 102.250000000000000000',
  ])
})

test('compose prints values and index', async () => {
  expect((await runExample('compose')).trim().split('\n')).toEqual([
    'value 17.500000000000000000 index 100.000000000000000000',
    'value 25.000000000000000000 index 137.500000000000000000',
  ])
})

test('bulk-insert prints its progress and counts', async () => {
  const lines = (await runExample('bulk-insert')).trim().split('\n')
  expect(lines).toHaveLength(3)
  expect(lines[1]).toMatch(/chunks_done=100 chunks_total=100 rows_done=1000 .*eta_sec=0\.0$/)
  expect(lines[2]).toBe('100 transactions, 1000 records')
})

test('market goes from its question to its pay-out', async () => {
  const wallet = '0x7e5f4552091a69125d5dfcb7b8c2659029395bdf'
  for (const bridge of ['hoodi_tt', 'hoodi_tt2']) {
    node.rpc('dev.setBalance', { bridge, wallet, amount: `${1000n * 10n ** 18n}` })
  }
  const settleTime = `${Math.floor(node.nowMs / 1000) + 86_400}`
  const lines = (await runExample('market', 'example: market', settleTime)).trim().split('\n')
  expect(lines[0]).toMatch(/^market 1: is the value of st[0-9a-f]{30} above 110\.000000000000000000\?$/)
  expect(lines.slice(1)).toEqual([
    'NO at 40 cents: 10 for sale',
    'settled: YES',
    'paid out 9.825 for 10 shares and an eighth of the fees',
  ])
})
