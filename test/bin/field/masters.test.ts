/** The sockets of masters that go on where they should not. */

import { connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { createMasters } from '#bin/field/masters.ts'
import type { FieldEvent } from '#grid/field/messages.ts'
import { listen } from '../../support/listen.ts'
import { once } from '../../support/wait.ts'

it('createMasters() passes nothing on behind the end that the simulation has ordered', async () => {
  const events: FieldEvent[] = []
  const link = { send: (event: FieldEvent) => void events.push(event), isFull: () => false }
  const masters = createMasters(link, { messageWithinMs: 1_000, idleMs: 10_000, maxUnread: 1_000 })
  const station = { node: 'RTU-1', protocol: 'Modbus', address: 1, offset: 1 } as const
  const server = createServer((socket) => masters.accept(socket, station))
  onTestFinished(() => void server.close())
  const master = connect({ port: await listen(server), host: '127.0.0.1', allowHalfOpen: true })
  onTestFinished(() => void master.destroy())
  const read = Buffer.from('000100000006010400000002', 'hex')
  master.on('error', () => undefined)
  master.write(read)
  await expect.poll(() => events.length).toBe(2)
  masters.carryOut(['close', 1, 'the outstation closed the connection'])
  master.resume()
  await once(master, 'end')
  master.write(read)
  await sleep(100)
  expect(events.map(([kind]) => kind)).toEqual(['open', 'octets'])
})
