/** The syslog output of a running grid: what waits is bounded, and a collector learns what it did not get. */

import { createServer, type Server } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningBundle, startBundle } from '../../support/bundle.ts'
import { type GridClient, gridClient, gridToken } from '../../support/grid-service.ts'
import { freePort } from '../../support/process.ts'
import { readFrames, readMessage } from '../../support/syslog.ts'

const patience = { interval: 100 }

let bundle: RunningBundle
let client: GridClient
let port: number
let server: Server | undefined

beforeAll(async () => {
  port = await freePort()
  bundle = await startBundle({
    worker: 'grid',
    rebuild: true,
    vars: { GRID_TOKEN: gridToken, GRID_SYSLOG_ADDRESS: `tcp://127.0.0.1:${port}` },
  })
  client = gridClient(bundle.url)
})

afterAll(async () => {
  await bundle?.stop()
  server?.close()
})

test('a collector that was away too long gets the oldest, then how many were dropped, then what is new', async () => {
  await client.post('/sim/config', { mode: 'external' })
  const count = 200
  const batches = 30
  for (let seq = 0; seq < batches; seq++) await client.post('/ingest/packets', batchOf(seq, count))
  const { syslog } = (await client.simulation()) as unknown as { readonly syslog: Record<string, number> }
  const { waiting = 0, dropped = 0 } = syslog
  expect(dropped).toBeGreaterThan(0)
  expect(waiting + dropped).toBe(batches * count)
  const received: Buffer[] = []
  server = await listen(port, received)
  // The loss is reported after what waited.
  await expect
    .poll(async () => (await client.simulation()).syslog, patience)
    .toMatchObject({ sent: waiting + 1, waiting: 0, dropped })
  await client.post('/ingest/packets', batchOf(batches, 1))
  const total = () => readFrames(Buffer.concat(received)).map(readMessage)
  await expect.poll(() => complete(received), patience).toBe(waiting + 2)
  const messages = total()
  expect(messages.map(({ msgId }) => msgId)).toEqual([
    ...Array.from({ length: waiting }, () => 'incident'),
    'dropped',
    'incident',
  ])
  expect(messages[waiting]?.data['dropped@32473']).toMatchObject({ count: String(dropped) })
  expect(messages.slice(-2).map(({ data }) => Number(data.meta?.sequenceId))).toEqual([
    batches * count + 1,
    batches * count + 2,
  ])
})

/** Attacked packets with descriptions as long as they may be. */
function batchOf(seq: number, count: number) {
  const packet = {
    timestamp: Math.floor(Date.now() / 1000),
    protocol: 'Modbus',
    status: 'attacked',
    attack: 'MODBUS_CMD_INJECT',
    src: '10.0.0.1:502',
    dst: '10.0.0.2:40000',
    description: 'x'.repeat(1024),
  }
  return { source: 'test', seq, packets: Array.from({ length: count }, () => packet) }
}

function listen(port: number, received: Buffer[]): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('data', (chunk: Buffer) => received.push(chunk))
    socket.on('error', () => socket.destroy())
  })
  return new Promise((resolve) => server.listen(port, '127.0.0.1', () => resolve(server)))
}

/** The number of whole messages that arrived; none while one is not whole. */
function complete(received: readonly Buffer[]): number {
  try {
    return readFrames(Buffer.concat(received)).length
  } catch {
    return 0
  }
}
