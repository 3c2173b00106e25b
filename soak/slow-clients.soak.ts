/** Clients that send one octet a second, half a head or half a body: they are let go, and others do not wait for them. */

import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gatherViolations, grouped, type Soak, scaled } from './outcome.ts'
import { prepareService } from './service.ts'
import { Wire } from './wire.ts'

/** Beginnings that a slow client sends at once; the rest comes octet by octet, or never. */
const beginnings = [
  { name: 'half a head', text: 'POST /json HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: ', goesOn: true },
  { name: 'half a body', text: 'POST /json HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 500\r\n\r\n{', goesOn: true },
  { name: 'nothing', text: '', goesOn: false },
] as const

/** Longer than the front's bound on a whole request, five minutes, and its check of them twice a minute. */
const patienceMs = 360_000

export const run: Soak = async (scale) => {
  const clients = scaled(300, scale)
  const violations = gatherViolations()
  const service = await prepareService()
  await service.start()
  const sockets: Socket[] = []
  const isClosed = new Set<Socket>()
  for (let number = 0; number < clients; number++) {
    const { text, goesOn } = beginnings[number % beginnings.length] ?? beginnings[0]
    const socket = connect({ host: '127.0.0.1', port: service.ports.http })
    socket.on('error', () => undefined)
    socket.on('close', () => isClosed.add(socket))
    socket.write(text)
    if (goesOn) dribble(socket, isClosed)
    sockets.push(socket)
  }
  const wire = new Wire(service.ports.http)
  const body = '{"domain":"shop","descriptors":[{"entries":[{"key":"none","value":"v"}]}]}'
  let slowest = 0
  const sends = sockets.filter((_, number) => beginnings[number % beginnings.length]?.goesOn)
  const began = Date.now()
  const end = began + patienceMs
  while (Date.now() < end && sends.some((socket) => !isClosed.has(socket))) {
    const asked = performance.now()
    const { status } = await wire.ask({ method: 'POST', target: '/json', body })
    slowest = Math.max(slowest, performance.now() - asked)
    if (status !== 200) violations.add(`beside the slow clients a decision was answered ${status}`)
    await sleep(500)
  }
  const open = sends.filter((socket) => !isClosed.has(socket)).length
  if (open > 0) violations.add(`${open} clients still send their request after ${patienceMs / 1000} seconds`)
  wire.close()
  for (const socket of sockets) socket.destroy()
  await service.stop()
  return {
    done: `${grouped(clients)} slow clients`,
    facts: [
      `those that go on sending were let go within ${Math.ceil((Date.now() - began) / 1000)} s`,
      `slowest decision beside them ${slowest.toFixed(0)} ms`,
    ],
    violations: violations.list(),
  }
}

function dribble(socket: Socket, isClosed: ReadonlySet<Socket>): void {
  const timer = setInterval(() => {
    if (isClosed.has(socket)) clearInterval(timer)
    else socket.write('a')
  }, 1_000)
}
