/** One stream of requests and responses with a control plane. */

import { readFileSync } from 'node:fs'
import { rootCertificates } from 'node:tls'
import { Client, type ClientDuplexStream, type ClientOptions, credentials, Metadata } from '@grpc/grpc-js'
import { messageOf } from '#base/errors.ts'
import { discoveryStreamPath } from '#proto-json/xds.ts'
import type { ControlPlane, ControlPlaneTls } from './settings.ts'

/** A stream of requests up and responses down. It throws a ServiceError while it is read when it ends with a failure. */
export type DiscoveryStream = ClientDuplexStream<Uint8Array, Uint8Array>

/** Pings find a control plane that vanished without a word; Go's servers refuse pings that come before five minutes. */
const pingMs = 360_000
const silenceMs = 10_000

/** Opens a connection with one stream, tried again after growing pauses; `onSilence` is called after ten seconds. */
export function openDiscoveryStream(
  plane: ControlPlane,
  onSilence: () => void,
): { readonly stream: DiscoveryStream; close(): void } {
  const options: ClientOptions = {
    'grpc.max_receive_message_length': plane.maxMessageBytes,
    'grpc.keepalive_time_ms': pingMs,
    'grpc.initial_reconnect_backoff_ms': 1_000,
    'grpc.max_reconnect_backoff_ms': plane.backoff.maxMs,
    ...(plane.tls !== null && plane.tls.serverName !== '' && serverNameOptions(plane.tls.serverName)),
  }
  const client = new Client(plane.target, channelCredentials(plane.tls), options)
  const metadata = new Metadata({ waitForReady: true })
  for (const [name, value] of plane.headers) metadata.set(name, value)
  const same = (bytes: Uint8Array) => Buffer.from(bytes)
  const stream = client.makeBidiStreamRequest(discoveryStreamPath, same, same, metadata)
  let isOpen = true
  client.waitForReady(Date.now() + silenceMs, (error) => error !== undefined && isOpen && onSilence())
  // A failure that comes after the last read has no other reader.
  stream.on('error', () => {})
  const close = () => {
    isOpen = false
    client.close()
  }
  return { stream, close }
}

function serverNameOptions(name: string): ClientOptions {
  return { 'grpc.ssl_target_name_override': name, 'grpc.default_authority': name }
}

function channelCredentials(tls: ControlPlaneTls | null) {
  if (tls === null) return credentials.createInsecure()
  const own = tls.authorities === '' ? [] : [read('CONFIG_GRPC_XDS_SERVER_TLS_CACERT', tls.authorities)]
  const roots = Buffer.concat([...own, Buffer.from(`\n${rootCertificates.join('\n')}\n`)])
  if (tls.certificate === '') return credentials.createSsl(roots)
  return credentials.createSsl(
    roots,
    read('CONFIG_GRPC_XDS_CLIENT_TLS_KEY', tls.key),
    read('CONFIG_GRPC_XDS_CLIENT_TLS_CERT', tls.certificate),
  )
}

function read(name: string, path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    throw new Error(`Cannot connect to the control plane: ${name} cannot be read: ${messageOf(error)}`, {
      cause: error,
    })
  }
}
