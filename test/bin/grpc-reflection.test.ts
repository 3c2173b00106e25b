/** Server reflection through the front: a client that knows no message learns to call the service. */

import { connect } from 'node:http2'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { Client, credentials, makeGenericClientConstructor, type ServiceError } from '@grpc/grpc-js'
import { loadFileDescriptorSetFromBuffer } from '@grpc/proto-loader'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type GrpcFront, type GrpcFrontOptions, startGrpcFront } from '#bin/grpc-front/front.ts'
import {
  type ServerReflectionRequest,
  ServerReflectionRequestSchema,
  type ServerReflectionResponse,
  ServerReflectionResponseSchema,
} from '#proto-json/gen/reflection_pb.ts'
import { decodeFrames, decodeRequest, encodeFrame, encodeResponse } from '#proto-json/index.ts'
import { reflectionPaths } from '#proto-json/reflection.ts'
import { answering, startUpstream, type Upstream } from '../support/grpc-web-upstream.ts'
import { once } from '../support/wait.ts'

type Question = ServerReflectionRequest['messageRequest']

const [path] = reflectionPaths
const service = 'envoy.service.ratelimit.v3.RateLimitService'
const refusal = encodeResponse({
  overallCode: 'OVER_LIMIT',
  statuses: [{ code: 'OVER_LIMIT', limitRemaining: 0 }],
  responseHeadersToAdd: [],
})

let upstream: Upstream
let front: GrpcFront
const clients: Client[] = []

beforeEach(async () => {
  upstream = await startUpstream(answering({ code: 0, message: '' }, refusal))
  front = await startFront()
})

afterEach(async () => {
  for (const client of clients.splice(0)) client.close()
  await front.stop(100)
  await upstream.stop()
})

function startFront(options: Partial<GrpcFrontOptions> = {}): Promise<GrpcFront> {
  return startGrpcFront({ upstream: upstream.url, port: 0, ...options })
}

interface Heard {
  readonly code: number
  readonly details: string
  readonly answers: readonly ServerReflectionResponse[]
}

/** Holds one conversation to its end; a question may also be bytes that are none. */
function converse(questions: readonly (Question | Buffer)[], at: string = path): Promise<Heard> {
  const client = new Client(`127.0.0.1:${front.port}`, credentials.createInsecure())
  clients.push(client)
  const answers: ServerReflectionResponse[] = []
  const call = client.makeBidiStreamRequest(
    at,
    (bytes: Buffer) => bytes,
    (bytes: Buffer) => fromBinary(ServerReflectionResponseSchema, bytes),
  )
  call.on('data', (answer: ServerReflectionResponse) => answers.push(answer))
  call.on('error', () => {})
  const heard = new Promise<Heard>((resolve) => {
    call.on('status', ({ code, details }: { code: number; details: string }) => resolve({ code, details, answers }))
  })
  for (const question of questions) call.write(Buffer.isBuffer(question) ? question : encode(question))
  call.end()
  return heard
}

function encode(messageRequest: Question): Buffer {
  const request = create(ServerReflectionRequestSchema, { messageRequest })
  return Buffer.from(toBinary(ServerReflectionRequestSchema, request))
}

interface RawOptions {
  readonly headers?: Readonly<Record<string, string>>
  /** True for a client that never says that it has finished. */
  readonly goesOn?: boolean
}

/** Sends bytes in HTTP/2 as they are; resolves with the status in the trailers once the stream has closed. */
async function sendRaw(bytes: Uint8Array, { headers = {}, goesOn = false }: RawOptions = {}): Promise<string> {
  const session = connect(`http://127.0.0.1:${front.port}`)
  const stream = session.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...headers,
  })
  let status = 'none'
  const take = (answered: NodeJS.Dict<string | string[]>) => {
    if (answered['grpc-status'] !== undefined) status = String(answered['grpc-status'])
  }
  stream.on('response', take)
  stream.on('trailers', take)
  const closed = new Promise<void>((resolve, reject) => {
    stream.on('error', reject)
    stream.on('close', resolve)
  })
  stream.resume()
  if (goesOn) stream.write(bytes)
  else stream.end(bytes)
  await closed.finally(() => session.destroy())
  return status
}

describe('server reflection through the front', () => {
  it.each(reflectionPaths)('answers every question of one stream in order: %s', async (at) => {
    const { code, answers } = await converse(
      [
        { case: 'listServices', value: '' },
        { case: 'fileContainingSymbol', value: 'no.such.Symbol' },
        { case: 'fileContainingSymbol', value: service },
      ],
      at,
    )
    expect(code).toBe(0)
    expect(answers.map(({ messageResponse }) => messageResponse.case)).toEqual([
      'listServicesResponse',
      'errorResponse',
      'fileDescriptorResponse',
    ])
    expect(upstream.requests).toHaveLength(0)
  })

  it('describes the service so well that a client which knows no message can call it', async () => {
    const { answers } = await converse([{ case: 'fileContainingSymbol', value: service }])
    const described = answers[0]?.messageResponse
    if (described?.case !== 'fileDescriptorResponse') throw new Error('no file was described')
    // A set is the same bytes as its files, each as field 1.
    const file = described.value.fileDescriptorProto
    const set = Buffer.concat(file.map((bytes) => Buffer.concat([Buffer.from([0x0a]), varint(bytes.length), bytes])))
    expect(fromBinary(FileDescriptorSetSchema, set).file).toHaveLength(5)
    const definition = loadFileDescriptorSetFromBuffer(set, { enums: String })[service]
    // The package holds the service under its full name.
    const Dynamic = makeGenericClientConstructor(
      definition as Parameters<typeof makeGenericClientConstructor>[0],
      service,
    )
    const client = new Dynamic(`127.0.0.1:${front.port}`, credentials.createInsecure())
    clients.push(client)
    const question = { domain: 'shop', descriptors: [{ entries: [{ key: 'k', value: 'v' }] }] }
    const answer = await new Promise<unknown>((resolve, reject) => {
      client.ShouldRateLimit?.(question, (error: ServiceError | null, value: unknown) =>
        error === null ? resolve(value) : reject(error),
      )
    })
    expect(answer).toMatchObject({ overall_code: 'OVER_LIMIT', statuses: [{ code: 'OVER_LIMIT' }] })
    const [frame] = decodeFrames(upstream.requests[0]?.body ?? Buffer.alloc(0), 1000)
    expect(decodeRequest(frame?.payload ?? new Uint8Array(0))).toMatchObject(question)
  })

  it('answers a long conversation whole', async () => {
    const questions = Array.from({ length: 300 }, () => ({ case: 'fileContainingSymbol', value: service }) as const)
    const { code, answers } = await converse(questions)
    expect([code, answers.length]).toEqual([0, 300])
  })

  it('ends a conversation that makes no sense with INVALID_ARGUMENT, and takes the next', async () => {
    const { code, details, answers } = await converse([{ case: 'listServices', value: '' }, Buffer.from([0xff, 0xff])])
    expect([code, answers.length]).toEqual([3, 1])
    expect(details).toContain('reflection request')
    expect((await converse([{ case: 'listServices', value: '' }])).code).toBe(0)
  })

  it('tells a client that goes on after the end what the end was, and to stop', async () => {
    const bytes = Buffer.concat([
      encodeFrame(0, encode({ case: 'listServices', value: '' })),
      encodeFrame(0, new Uint8Array([0xff])),
    ])
    expect(await sendRaw(bytes, { goesOn: true })).toBe('3')
  })

  it('ends at its deadline a conversation in which nothing is said', async () => {
    const headers = { 'grpc-timeout': '50m' }
    expect(await sendRaw(new Uint8Array(0), { goesOn: true, headers })).toBe('4')
    expect(await sendRaw(new Uint8Array(0), { goesOn: true, headers: { 'grpc-timeout': 'soon' } })).toBe('3')
  })

  it('is an end in itself when nothing is asked', async () => {
    expect(await converse([])).toMatchObject({ code: 0, answers: [] })
  })

  it.each([
    ['half a frame', new Uint8Array([0, 0, 0]), '3'],
    ['a compressed message', encodeFrame(1, new Uint8Array([58, 0])), '12'],
    ['a message above the bound', new Uint8Array([0, 0x7f, 0xff, 0xff, 0xff]), '8'],
  ])('refuses %s', async (_, bytes, status) => {
    expect(await sendRaw(bytes)).toBe(status)
  })

  it('refuses messages in JSON, which it does not speak', async () => {
    const bytes = encodeFrame(0, encode({ case: 'listServices', value: '' }))
    expect(await sendRaw(bytes, { headers: { 'content-type': 'application/grpc+json' } })).toBe('12')
  })

  it('survives a client that vanishes in the middle', async () => {
    const session = connect(`http://127.0.0.1:${front.port}`)
    session.on('error', () => {})
    const stream = session.request({ ':method': 'POST', ':path': path, 'content-type': 'application/grpc' })
    stream.on('error', () => {})
    stream.write(encodeFrame(0, encode({ case: 'listServices', value: '' })))
    await once(stream, 'response')
    session.destroy()
    expect((await converse([{ case: 'listServices', value: '' }])).code).toBe(0)
  })

  it('goes to the service when the front answers nothing itself', async () => {
    await front.stop(0)
    front = await startFront({ own: new Map(), methods: [path] })
    await converse([{ case: 'listServices', value: '' }])
    expect(upstream.requests[0]?.path).toBe(path)
  })
})

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128)
  return Buffer.from([...bytes, rest])
}
