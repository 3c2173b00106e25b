/** The gRPC front: age of its connections, its end, and TLS. */

import { existsSync, linkSync, readFileSync, writeFileSync } from 'node:fs'
import { connect as connectTcp, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { type Client, credentials } from '@grpc/grpc-js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startGrpcFront } from '#bin/grpc-front/front.ts'
import { clearSocket } from '#bin/grpc-front/server.ts'
import { projectRoot } from '#bin/project.ts'
import { makeFolder } from '../../support/folder.ts'
import { call, codeOf, echo, frontedUpstream, type Outcome } from '../../support/fronted-upstream.ts'
import { eventually, once } from '../../support/wait.ts'

const { front, open, openRaw, restartFront, startFront, upstream } = frontedUpstream()

/** A call that crosses the announcement on its way is refused unbegun, and this client leaves it to its caller to ask again. */
async function callAgainWhenRefused(client: Client): Promise<Outcome> {
  const outcome = await call(client)
  return outcome.details === 'Stream refused by server' ? call(client) : outcome
}

const pem = (name: string) => readFileSync(join(projectRoot, 'test/vectors/tls', name))

describe('connection age', () => {
  it('says GOAWAY after the age, and clients go on over a new connection', async () => {
    await restartFront({ age: { maxAgeMs: 100, graceMs: 60_000 } })
    const session = openRaw()
    const goaways: number[] = []
    session.on('goaway', (_, lastStream) => goaways.push(lastStream))
    await once(session, 'close')
    expect(goaways[0]).toBe(2 ** 31 - 1)
    await restartFront({ age: { maxAgeMs: 500, graceMs: 60_000 } })
    const client = open()
    for (let round = 0; round < 50; round++) {
      expect(await codeOf(callAgainWhenRefused(client))).toBe(0)
      await sleep(25)
    }
  })

  it('lets a call that runs finish after GOAWAY', async () => {
    await restartFront({ age: { maxAgeMs: 60, graceMs: 60_000 } })
    upstream().answerWith(async (response, request) => {
      await sleep(300)
      await echo(response, request)
    })
    expect(await call(open())).toMatchObject({ code: 0, answer: 'an answer' })
  })

  it('cuts the connection when the grace is over', async () => {
    await restartFront({ age: { maxAgeMs: 60, graceMs: 100 } })
    upstream().answerWith(() => {})
    expect(await codeOf(call(open()))).toBe(14)
  })

  it('spreads the ends of connections that began together', async () => {
    await restartFront({ age: { maxAgeMs: 1000, graceMs: 1000 } })
    const ends = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const session = openRaw()
        await once(session, 'connect')
        const started = performance.now()
        await once(session, 'goaway')
        return performance.now() - started
      }),
    )
    expect(Math.min(...ends)).toBeGreaterThan(850)
    expect(Math.max(...ends) - Math.min(...ends)).toBeGreaterThan(20)
  })
})

describe('stop()', () => {
  it('finishes calls that run and takes no new connection', async () => {
    upstream().answerWith(async (response, request) => {
      await sleep(200)
      await echo(response, request)
    })
    const outcome = call(open())
    await eventually('a request', () => upstream().requests.length > 0, upstream().requests)
    const stopped = front().stop()
    const late = connectTcp(front().port, '127.0.0.1')
    const [error] = await once(late, 'error')
    expect(error.code).toBe('ECONNREFUSED')
    expect(await outcome).toMatchObject({ code: 0, answer: 'an answer' })
    await stopped
    await restartFront()
  })

  it('cuts what still runs when its time is over', async () => {
    upstream().answerWith(() => {})
    const outcome = call(open())
    await eventually('a request', () => upstream().requests.length > 0, upstream().requests)
    await front().stop(50)
    expect(await codeOf(outcome)).toBe(14)
    await upstream().requests[0]?.whenLeft
    await restartFront()
  })
})

describe('clearSocket()', () => {
  it('removes what a killed front left, also when two fronts find it at once', async () => {
    const folder = makeFolder(onTestFinished)
    const [bound, left] = [join(folder, 'bound.sock'), join(folder, 'left.sock')]
    const server = createServer().listen(bound)
    await once(server, 'listening')
    // Node removes the name that it bound.
    linkSync(bound, left)
    server.close()
    await Promise.all([clearSocket(left), clearSocket(left)])
    expect(existsSync(left)).toBe(false)
  })
})

describe('startGrpcFront()', () => {
  it('refuses the path of an ordinary file, and keeps the file', async () => {
    const file = join(makeFolder(onTestFinished), 'notes.txt')
    writeFileSync(file, 'kept')
    await expect(startFront({ socket: file })).rejects.toThrow('EADDRINUSE')
    expect(readFileSync(file, 'utf8')).toBe('kept')
  })

  it('speaks TLS', async () => {
    await restartFront({ tls: { cert: pem('server.pem'), key: pem('server.key') } })
    expect(await call(open(credentials.createSsl(pem('ca.pem'))))).toMatchObject({ code: 0, answer: 'an answer' })
    expect(await codeOf(call(open(), { deadlineMs: 500 }))).not.toBe(0)
  })

  it('answers HTTP/1.1 within TLS with a sentence', async () => {
    await restartFront({ tls: { cert: pem('server.pem'), key: pem('server.key') } })
    const socket = connectTls({ port: front().port, host: '127.0.0.1', rejectUnauthorized: false })
    const chunks: Buffer[] = []
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
    await once(socket, 'close')
    expect(Buffer.concat(chunks).toString()).toMatch(
      /^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*\r\n\r\nCannot answer: this port speaks gRPC over HTTP\/2 only/,
    )
  })

  it('takes only clients of its authority, and only the host of its settings', async () => {
    const tls = { cert: pem('server.pem'), key: pem('server.key'), clientCa: pem('ca.pem') }
    const known = credentials.createSsl(pem('ca.pem'), pem('client.key'), pem('client.pem'))
    const unknown = credentials.createSsl(pem('ca.pem'))
    await restartFront({ tls })
    expect(await codeOf(call(open(known)))).toBe(0)
    expect(await codeOf(call(open(unknown), { deadlineMs: 1000 }))).not.toBe(0)
    await restartFront({ tls: { ...tls, clientSan: 'client.test' } })
    expect(await codeOf(call(open(known)))).toBe(0)
    await restartFront({ tls: { ...tls, clientSan: 'other.test' } })
    expect(await codeOf(call(open(known), { deadlineMs: 1000 }))).not.toBe(0)
  })

  it('refuses an upstream that is not an HTTP address, and a port that is taken', async () => {
    await expect(startGrpcFront({ upstream: 'ftp://x', port: 0 })).rejects.toThrow('expected http:// or https://')
    await expect(startFront({ port: front().port })).rejects.toThrow('EADDRINUSE')
  })
})
