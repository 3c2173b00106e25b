/** A control plane of xDS with one snapshot, which answers as snapshot caches do: at once when the client's version is another. */

import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js'
import {
  type DiscoveryRequest,
  DiscoveryRequestSchema,
  DiscoveryResponseSchema,
  RateLimitConfigSchema,
} from '#proto-json/gen/xds_pb.ts'
import { discoveryStreamPath, rulesTypeUrl } from '#proto-json/xds.ts'
import { eventually } from './wait.ts'

/** Rules of one domain. */
export type Rules = Exclude<MessageInitShape<typeof RateLimitConfigSchema>, { $typeName: string }>

type Call = ServerDuplexStream<Buffer, Buffer>

/** A control plane that runs. */
export interface ControlPlaneServer {
  readonly target: string
  /** Everything that clients sent, in order. */
  readonly requests: readonly DiscoveryRequest[]
  /** Metadata of each stream. */
  readonly headers: readonly Readonly<Record<string, unknown>>[]
  /** Serves another snapshot, to open streams too. */
  set(version: string, rules: readonly Rules[]): void
  /** Sends these bytes to every open stream, beside the snapshot. */
  send(bytes: Uint8Array): void
  /** Waits until a request of this kind has come. */
  received(what: string, holds: (request: DiscoveryRequest) => boolean): Promise<void>
  /** Ends every stream; new ones are served. */
  endStreams(): void
  stop(): void
}

/** Makes the bytes of a response. */
export function responseBytes(version: string, nonce: string, rules: readonly Rules[]): Uint8Array {
  const resources = rules.map((one) => ({
    typeUrl: rulesTypeUrl,
    value: toBinary(RateLimitConfigSchema, create(RateLimitConfigSchema, one)),
  }))
  const message = create(DiscoveryResponseSchema, { versionInfo: version, nonce, typeUrl: rulesTypeUrl, resources })
  return toBinary(DiscoveryResponseSchema, message)
}

/** Starts one on loopback; with `port` on that port. */
export async function startControlPlaneServer(
  options: { readonly port?: number; readonly serverCredentials?: ServerCredentials } = {},
): Promise<ControlPlaneServer> {
  const { port: wanted = 0, serverCredentials = ServerCredentials.createInsecure() } = options
  const requests: DiscoveryRequest[] = []
  const headers: Readonly<Record<string, unknown>>[] = []
  /** Open streams, with true where the client waits for another version. */
  const calls = new Map<Call, boolean>()
  let snapshot: { readonly version: string; readonly rules: readonly Rules[] } | null = null
  let nonce = 0

  const respond = (call: Call) => {
    if (snapshot === null) return
    calls.set(call, false)
    nonce++
    call.write(Buffer.from(responseBytes(snapshot.version, `${nonce}`, snapshot.rules)))
  }
  const handle = (call: Call) => {
    calls.set(call, true)
    headers.push(call.metadata.getMap())
    call.on('data', (bytes: Buffer) => {
      const request = fromBinary(DiscoveryRequestSchema, bytes)
      requests.push(request)
      calls.set(call, true)
      if (request.responseNonce === '' || request.versionInfo !== snapshot?.version) respond(call)
    })
    call.on('end', () => call.end())
    call.on('close', () => calls.delete(call))
    call.on('error', () => calls.delete(call))
  }
  const server = new Server()
  const same = (bytes: Uint8Array) => Buffer.from(bytes)
  const method = {
    path: discoveryStreamPath,
    requestStream: true,
    responseStream: true,
    requestSerialize: same,
    requestDeserialize: same,
    responseSerialize: same,
    responseDeserialize: same,
  }
  server.addService({ stream: method }, { stream: handle })
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${wanted}`, serverCredentials, (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    )
  })
  return {
    target: `127.0.0.1:${port}`,
    requests,
    headers,
    set(version, rules) {
      snapshot = { version, rules }
      for (const [call, waits] of calls) if (waits) respond(call)
    },
    send(bytes) {
      for (const call of calls.keys()) call.write(Buffer.from(bytes))
    },
    received: (what, holds) => eventually(what, () => requests.some(holds), requests),
    endStreams() {
      for (const call of calls.keys()) call.end()
    },
    stop: () => server.forceShutdown(),
  }
}
