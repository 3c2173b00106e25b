/** Hostile HTTP/2 clients of the native gRPC front: after each, an honest call is answered and memory comes back. */

import { type ClientHttp2Session, connect as connectHttp2, constants } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gatherViolations, grouped, type Soak, scaled, type Violations } from './outcome.ts'
import { prepareService, residentMiB, type Service } from './service.ts'

const health = '/grpc.health.v1.Health/Check'
const decide = '/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit'
const call = (path: string) => ({
  ':method': 'POST',
  ':path': path,
  'content-type': 'application/grpc',
  te: 'trailers',
})

/** One attack; it returns what it found and how to end it. */
interface Attack {
  readonly name: string
  readonly begin: (service: Service, scale: number) => Promise<{ readonly found: string; readonly end: () => void }>
}

const attacks: readonly Attack[] = [
  {
    name: 'connections that send nothing',
    async begin({ ports }, scale) {
      const sockets = Array.from({ length: scaled(500, scale) }, () => open(ports.grpc))
      await sleep(3_000)
      return { found: `${sockets.length} opened`, end: () => sockets.forEach((socket) => void socket.destroy()) }
    },
  },
  {
    name: 'unfinished calls of 3.9 MB',
    async begin({ ports }, scale) {
      const session = openSession(ports.grpc)
      const octets = Buffer.alloc(3_900_000)
      octets.writeUInt32BE(octets.length + 100, 1)
      const calls = scaled(150, scale)
      let ended = 0
      for (let number = 0; number < calls && !session.destroyed; number++) {
        const stream = session.request(call(decide))
        stream.on('error', () => undefined)
        stream.on('close', () => {
          ended += 1
        })
        stream.write(octets)
        await sleep(10)
      }
      await sleep(3_000)
      return { found: `${ended} of ${calls} ended by the front so far`, end: () => session.destroy() }
    },
  },
  {
    name: 'calls reset at once',
    async begin({ ports }, scale) {
      let session = openSession(ports.grpc)
      let sessions = 1
      const resets = scaled(20_000, scale)
      for (let number = 0; number < resets; number++) {
        if (session.destroyed || session.closed) {
          session = openSession(ports.grpc)
          sessions += 1
        }
        const stream = session.request(call(health))
        stream.on('error', () => undefined)
        stream.write(Buffer.alloc(5))
        stream.close(constants.NGHTTP2_CANCEL)
        if (number % 200 === 0) await new Promise(setImmediate)
      }
      await sleep(500)
      return { found: `${grouped(resets)} resets over ${sessions} connections`, end: () => session.destroy() }
    },
  },
  {
    name: 'a header that never ends',
    async begin({ ports }, scale) {
      const socket = open(ports.grpc)
      let isClosed = false
      socket.on('close', () => {
        isClosed = true
      })
      socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
      socket.write(frame(4, 0, 0, Buffer.alloc(0)))
      socket.write(frame(1, 0, 1, Buffer.from([0x82])))
      const field = Buffer.concat([Buffer.from([0x40, 1, 0x61, 0x7f, 0x81, 0x1f]), Buffer.alloc(4_096, 0x62)])
      for (let sent = 0; sent < scaled(20_000, scale) && !isClosed; sent++) {
        if (!socket.write(frame(9, 0, 1, field))) await drained(socket)
      }
      await sleep(500)
      return { found: isClosed ? 'closed by the front' : 'still open', end: () => socket.destroy() }
    },
  },
]

export const run: Soak = async (scale) => {
  const violations = gatherViolations()
  const service = await prepareService()
  await service.start()
  const facts: string[] = []
  // The front runs in the command's own process.
  const pid = service.command()
  const before = residentMiB(pid)
  for (const { name, begin } of attacks) {
    const { found, end } = await begin(service, scale)
    const during = residentMiB(pid)
    await honest(service, `during "${name}"`, violations)
    end()
    await sleep(1_000)
    await honest(service, `after "${name}"`, violations)
    facts.push(`${name}: ${found}, front at ${during} MiB`)
  }
  const after = residentMiB(pid)
  // What an attack has taken once the process may keep for its next allocations; a multiple is a leak.
  if (after > before + 300) violations.add(`the front holds ${after} MiB after the attacks, ${before} before`)
  await service.stop()
  return {
    done: `${attacks.length} attacks over HTTP/2`,
    facts: [...facts, `front ${before} MiB before, ${after} after`],
    violations: violations.list(),
  }
}

function open(port: number): Socket {
  const socket = connect({ host: '127.0.0.1', port })
  socket.on('error', () => undefined)
  return socket
}

function openSession(port: number): ClientHttp2Session {
  const session = connectHttp2(`http://127.0.0.1:${port}`)
  session.on('error', () => undefined)
  return session
}

async function drained(socket: Socket): Promise<void> {
  await Promise.race([
    new Promise<void>((resolve) => {
      socket.once('drain', resolve)
      socket.once('close', () => resolve())
    }),
    sleep(500),
  ])
}

/** A frame of HTTP/2 (RFC 9113 clause 4.1): length, type, flags, stream. */
function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

/** A call of a well-behaved client, on a separate connection. */
async function honest({ ports }: Service, when: string, violations: Violations): Promise<void> {
  const session = openSession(ports.grpc)
  const code = await Promise.race([
    new Promise<string>((resolve) => {
      const stream = session.request(call(health))
      let status = 'none'
      const read = (headers: Record<string, unknown>) => {
        status = String(headers['grpc-status'] ?? status)
      }
      stream.on('response', read)
      stream.on('trailers', read)
      stream.on('error', (error) => resolve(error.message))
      stream.on('close', () => resolve(status))
      stream.resume()
      stream.end(Buffer.alloc(5))
    }),
    sleep(30_000, 'no answer in half a minute'),
  ])
  session.destroy()
  if (code !== '0') violations.add(`an honest call ${when} ended with ${code}`)
}
