/** The recorded cases over gRPC-Web, against the built bundle, and over native gRPC through the front. */

import { Client, credentials, type ServiceError } from '@grpc/grpc-js'
import { expect, it } from 'vitest'
import type { Decider } from '#bin/decider/decider.ts'
import { startGrpcFront } from '#bin/grpc-front/front.ts'
import { decodeResponse, encodeRequest, readRequest, shouldRateLimitPath, writeResponse } from '#proto-json/index.ts'
import { startDecider } from '../../support/deciding-front.ts'
import { callUnary } from '../../support/grpc-web-client.ts'
import type { CaseReply, RatelimitCase } from '../../support/ratelimit-cases.ts'
import {
  hideRemaining,
  type OpenTarget,
  operatorTarget,
  replayableCases,
  testCases,
  withoutRemaining,
} from '../../support/ratelimit-replay.ts'
import type { ServiceClient } from '../../support/ratelimit-servers.ts'
import { sweep } from '../../support/sweep.ts'

/** The end of a call: its status, and its message when that is OK. */
interface Outcome {
  readonly code: number
  readonly message: string
  readonly answer: Uint8Array | null
}

type Ask = (request: Uint8Array) => Promise<Outcome>

/** A body that is not a request cannot be put into a message; its case is one of `/json` only. */
function isSendable({ steps }: RatelimitCase): boolean {
  const asked = steps.flatMap((step) => (step.op === 'request' ? [step.expect.grpc] : []))
  return asked.length > 0 && asked.every((grpc) => grpc != null)
}

const cases = replayableCases.filter(isSendable)

it('there are more than 120 cases with an expectation for gRPC', () => {
  expect(cases.length).toBeGreaterThan(120)
})

testCases('recorded cases over gRPC-Web', cases, (client) => ({
  target: {
    ...operatorTarget(client),
    request: replyThrough(async (message) => {
      const { status, message: answer } = await callUnary(fetch, {
        baseUrl: client.url,
        path: shouldRateLimitPath,
        message,
      })
      return { ...status, answer }
    }),
  },
}))

// A sixth of the cases: a front that forwards does not look into a message.
testCases('recorded cases over native gRPC, forwarded', everyOf(6), (client) => openNative(client, null))

const openDeciding = async (client: ServiceClient, runtimeUrl: string) =>
  openNative(client, await startDecider(runtimeUrl))

// A third of the cases in the gate: over HTTP every answer of a front that decides is compared.
const some = everyOf(cases.length / sweep(cases.length, Math.ceil(cases.length / 3)))

testCases('recorded cases over native gRPC, decided in the front', some, openDeciding)

testCases(
  'recorded cases over native gRPC, decided in the front with leases',
  some.map(withoutRemaining),
  async (client, runtimeUrl) => {
    const { target, close } = await openDeciding(client, runtimeUrl)
    const request = async (body: string) => {
      const reply = await target.request(body)
      return { ...reply, body: hideRemaining(reply.body) }
    }
    return { target: { ...target, request }, ...(close && { close }) }
  },
  { LEASES: 'on' },
)

/** The first of each so many cases, rounded up. */
function everyOf(count: number): readonly RatelimitCase[] {
  return cases.filter((_, at) => at % Math.ceil(count) === 0)
}

/** A front before a service, forwarding or deciding. */
async function openNative(client: ServiceClient, decider: Decider | null): Promise<OpenTarget> {
  // A front that decides must not need its upstream.
  const upstream = decider === null ? client.url : 'http://127.0.0.1:9'
  const front = await startGrpcFront({ upstream, decider, port: 0 })
  const native = new Client(`127.0.0.1:${front.port}`, credentials.createInsecure())
  return {
    target: {
      ...operatorTarget(client),
      async stats() {
        await decider?.sync()
        return client.stats()
      },
      request: replyThrough(async (message) => {
        await decider?.sync()
        return askNative(native, message)
      }),
    },
    async close() {
      native.close()
      await front.stop(0)
      await decider?.stop()
    },
  }
}

/** Sends a case's body as a message, and tells what came back as the cases of `/json` tell it. */
function replyThrough(ask: Ask): (body: string) => Promise<CaseReply> {
  return async (body) => {
    const { code, message, answer } = await ask(encodeRequest(readRequest(body)))
    const grpc = { status: code, message }
    if (answer === null) return { status: 400, body: 'Bad Request\n', grpc }
    const response = decodeResponse(answer)
    return { status: response.overallCode === 'OK' ? 200 : 429, body: writeResponse(response), grpc }
  }
}

function askNative(client: Client, message: Uint8Array): Promise<Outcome> {
  const toBuffer = (bytes: Uint8Array) => Buffer.from(bytes)
  const same = (bytes: Buffer): Uint8Array => bytes
  return new Promise((resolve) => {
    const done = (error: ServiceError | null, answer?: Uint8Array) =>
      resolve({ code: error?.code ?? 0, message: error?.details ?? '', answer: answer ?? null })
    client.makeUnaryRequest(shouldRateLimitPath, toBuffer, same, message, done)
  })
}
