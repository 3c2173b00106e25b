/** `node bin/run.mjs ratelimit-client`: asks a rate limit service for a decision, as the reference's own client does. */

import { readFileSync } from 'node:fs'
import { messageOf, reasonOf } from '#base/errors.ts'
import {
  decodeResponse,
  decodeStatusMessage,
  encodeRequest,
  ProtoJsonError,
  readResponse,
  type Status,
  shouldRateLimitPath,
  showResponse,
  statusTable,
  writeRequest,
} from '#proto-json/index.ts'
import type { RateLimitRequest } from '#ratelimit/types.ts'
import { type ClientFlags, listFlags, parseFlags, usage } from './ratelimit-client/flags.ts'
import { type ChannelTls, openChannel } from './ratelimit-client/grpc-channel.ts'

type Outcome = { readonly answer: string } | { readonly error: string }

type Ask = (request: RateLimitRequest) => Promise<Outcome>

process.exitCode = await run(process.argv.slice(2))

async function run(args: readonly string[]): Promise<number> {
  const flags = parseFlags(args, process.env)
  if (flags === 'help') {
    process.stderr.write(usage)
    return 0
  }
  if ('message' in flags) {
    process.stderr.write(`${flags.message}\n${usage}`)
    return 2
  }
  for (const line of listFlags(flags)) console.log(line)
  if (flags.values['oltp-protocol'] !== '') console.error('oltp-protocol is ignored: nothing is traced')
  const { json, token } = flags.values
  const authorization: Metadata = token === '' ? {} : { authorization: `Bearer ${token}` }
  return json === '' ? askOverGrpc(flags, authorization) : askRepeatedly(flags, jsonAsker(json, authorization))
}

type Metadata = Readonly<Record<string, string>>

async function askOverGrpc(flags: ClientFlags, metadata: Metadata): Promise<number> {
  const { values } = flags
  let channel: ReturnType<typeof openChannel>
  try {
    channel = openChannel(values.dial_string, values['grpc-use-tls'] === 'true' ? readTls(values) : null, metadata)
  } catch (error) {
    console.log(`error connecting: ${messageOf(error)}`)
    return 1
  }
  try {
    return await askRepeatedly(flags, grpcAsker(channel))
  } finally {
    channel.close()
  }
}

function readTls(values: ClientFlags['values']): ChannelTls {
  const files = { ca: values['grpc-server-ca-file'], cert: values['grpc-cert-file'], key: values['grpc-key-file'] }
  const named = Object.entries(files).filter(([, path]) => path !== '')
  return Object.fromEntries(named.map(([name, path]) => [name, readFileSync(path)]))
}

/** Asks as often as the flags say, until the first failure; 1 is the exit code after one. */
async function askRepeatedly({ values, descriptors }: ClientFlags, ask: Ask): Promise<number> {
  const { domain } = values
  for (let round = 0; round < Number(values.repeat); round++) {
    const outcome = await ask({ domain, descriptors, hitsAddend: Number(values.hits) })
    if ('error' in outcome) {
      console.log(`request error: ${outcome.error}`)
      return 1
    }
    console.log(`response: ${outcome.answer}`)
  }
  return 0
}

function grpcAsker(channel: ReturnType<typeof openChannel>): Ask {
  return async (request) => {
    const { status, message } = await channel.call(shouldRateLimitPath, encodeRequest(request))
    if (message === null) return { error: rpcError(status) }
    return show(() => showResponse(decodeResponse(message)))
  }
}

/** Go's names of the codes: `InvalidArgument`, but `Canceled` with one l and `OK` as it is. */
function rpcError({ code, message }: Status): string {
  const { name } = statusTable[code]
  const goName =
    name === 'CANCELLED'
      ? 'Canceled'
      : name.toLowerCase().replace(/(^|_)([a-z])/g, (_, __, letter) => letter.toUpperCase())
  return `rpc error: code = ${goName} desc = ${message}`
}

function jsonAsker(address: string, authorization: Metadata): Ask {
  return async (request) => {
    try {
      const url = new URL(address)
      if (url.pathname === '/') url.pathname = '/json'
      const headers = { 'content-type': 'application/json', ...authorization }
      const response = await fetch(url, { method: 'POST', headers, body: writeRequest(request) })
      const text = await response.text()
      // 429 is an answer: the decision is in the body, as it is over gRPC.
      if (!response.ok && response.status !== 429) return { error: httpError(response, text) }
      return show(() => showResponse(readResponse(text)))
    } catch (error) {
      return { error: reasonOf(error) }
    }
  }
}

/** The status and the body, which has the contract's words, then the reason that the service gives in a header. */
function httpError({ status, headers }: Response, text: string): string {
  const reason = decodeStatusMessage(headers.get('x-ratelimit-reason') ?? '')
  const said = reason === '' || reason === text.trim() ? '' : ` (${reason})`
  return `HTTP ${status}: ${text.trim()}${said}`
}

function show(read: () => string): Outcome {
  try {
    return { answer: read() }
  } catch (error) {
    if (error instanceof ProtoJsonError) return { error: error.message }
    throw error
  }
}
