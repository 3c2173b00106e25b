/** The gRPC front before a service that answers as a test says, and clients of it. */

import { type ClientHttp2Session, connect } from 'node:http2'
import {
  type ChannelCredentials,
  Client,
  type ClientUnaryCall,
  credentials,
  Metadata,
  type ServiceError,
  type StatusObject,
} from '@grpc/grpc-js'
import { afterEach, beforeEach } from 'vitest'
import { type GrpcFront, type GrpcFrontOptions, startGrpcFront } from '#bin/grpc-front/front.ts'
import { shouldRateLimitPath } from '#proto-json/index.ts'
import { answering, startUpstream, type Upstream } from './grpc-web-upstream.ts'

/** Status of a call that went well. */
export const ok = { code: 0, message: '' } as const

/** The message of a call. */
export const asking = Buffer.from('a question')

/** The answer of the service, unless a test changes it. */
export const echo = answering(ok, Buffer.from('an answer'))

/** End of a call. */
export interface Outcome {
  readonly code: number
  readonly details: string
  readonly answer: string | null
  readonly trailers: Metadata | null
}

interface Asking {
  readonly message?: Buffer
  readonly deadlineMs?: number
  readonly metadata?: Metadata
  readonly begin?: (call: ClientUnaryCall) => void
}

/** Calls a method with bytes as its message; resolves with every outcome. */
export function call(client: Client, { message = asking, deadlineMs, metadata, begin }: Asking = {}): Promise<Outcome> {
  const same = (bytes: Buffer) => bytes
  const options = deadlineMs === undefined ? {} : { deadline: Date.now() + deadlineMs }
  return new Promise((resolve) => {
    const result: { error: ServiceError | null; answer: string | null } = { error: null, answer: null }
    const running = client.makeUnaryRequest(
      shouldRateLimitPath,
      same,
      same,
      message,
      metadata ?? new Metadata(),
      options,
      (error, answer) => {
        result.error = error
        result.answer = answer?.toString() ?? null
      },
    )
    running.on('status', ({ code, details, metadata: trailers }: StatusObject) =>
      resolve({ code, details, answer: result.answer, trailers: trailers ?? null }),
    )
    begin?.(running)
  })
}

/** The code of a call. */
export const codeOf = async (outcome: Promise<Outcome>) => (await outcome).code

/** Headers of a call, for a raw HTTP/2 client. */
export const rawHeaders = {
  ':method': 'POST',
  ':path': shouldRateLimitPath,
  'content-type': 'application/grpc',
  te: 'trailers',
}

/** Starts the service and a front for each test of a file. */
export function frontedUpstream() {
  let upstream: Upstream
  let isServiceEnded = false
  let front: GrpcFront
  const clients: Client[] = []
  const sessions: ClientHttp2Session[] = []

  const startFront = (options: Partial<GrpcFrontOptions> = {}): Promise<GrpcFront> =>
    startGrpcFront({ upstream: upstream.url, port: 0, ...options })

  beforeEach(async () => {
    upstream = await startUpstream(echo)
    isServiceEnded = false
    front = await startFront()
  })
  afterEach(async () => {
    for (const client of clients.splice(0)) client.close()
    for (const session of sessions.splice(0)) session.destroy()
    await front.stop(100)
    if (!isServiceEnded) await upstream.stop()
  })

  return {
    upstream: () => upstream,
    front: () => front,
    /** Ends the service before its test ends. */
    async endService(): Promise<void> {
      isServiceEnded = true
      await upstream.stop()
    },
    /** Starts another front, which is the test's to stop. */
    startFront,
    /** Replaces the front of this test by one with other options. */
    async restartFront(options: Partial<GrpcFrontOptions> = {}): Promise<void> {
      await front.stop(0)
      front = await startFront(options)
    },
    /** Opens a client of gRPC to the front, or to another address. */
    open(by: ChannelCredentials = credentials.createInsecure(), target = `localhost:${front.port}`): Client {
      const options = { 'grpc.max_receive_message_length': -1, 'grpc.enable_retries': 0 }
      const client = new Client(target, by, options)
      clients.push(client)
      return client
    },
    /** Opens a raw HTTP/2 client, for what a gRPC library would not do. */
    openRaw(): ClientHttp2Session {
      const session = connect(`http://127.0.0.1:${front.port}`)
      session.on('error', () => {})
      sessions.push(session)
      return session
    },
  }
}
