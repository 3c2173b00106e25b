import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type GrpcFront, startGrpcFront } from '#bin/grpc-front/front.ts'
import { projectRoot } from '#bin/project.ts'
import { listFlags, parseFlags } from '#bin/ratelimit-client/flags.ts'
import { serve } from '#proto-json/index.ts'
import { methods, statusOf } from '../proto-json/service.ts'
import { startUpstream, type Upstream } from '../support/grpc-web-upstream.ts'
import { listen } from '../support/listen.ts'

const pem = (name: string) => join(projectRoot, 'test/vectors/tls', name)

let upstream: Upstream
let front: GrpcFront
let secure: GrpcFront

beforeAll(async () => {
  upstream = await startUpstream(async (response, { path, headers, body }) => {
    const request = new Request(`http://sluice.test${path}`, {
      method: 'POST',
      headers: { 'content-type': headers['content-type'] ?? '' },
      body: new Uint8Array(body),
    })
    const answer = await serve(request, methods, { statusOf })
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    response.end(Buffer.from(await answer.arrayBuffer()))
  })
  front = await startGrpcFront({ upstream: upstream.url, port: 0 })
  const tls = {
    cert: readFileSync(pem('server.pem')),
    key: readFileSync(pem('server.key')),
    clientCa: readFileSync(pem('ca.pem')),
  }
  secure = await startGrpcFront({ upstream: upstream.url, port: 0, tls })
})

afterAll(async () => {
  await Promise.all([front.stop(100), secure.stop(100)])
  await upstream.stop()
})

interface Ended {
  readonly code: number | null
  readonly out: readonly string[]
  readonly err: string
}

/** Runs the client to its end. */
function run(...args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, [join(projectRoot, 'bin/run.mjs'), 'ratelimit-client', ...args])
  const texts = { out: '', err: '' }
  child.stdout.on('data', (chunk) => {
    texts.out += chunk
  })
  child.stderr.on('data', (chunk) => {
    texts.err += chunk
  })
  return new Promise((resolve) => {
    child.on('close', (code) =>
      resolve({ code, out: texts.out.split('\n').filter((line) => line !== ''), err: texts.err }),
    )
  })
}

const dial = () => ['-dial_string', `localhost:${front.port}`]

describe('ratelimit-client', () => {
  it('sends its token as metadata of gRPC and as a header of JSON', async () => {
    const before = upstream.requests.length
    const question = ['-domain', 'shop', '-descriptors', 'k=v', '-token', 'a-token-of-tests-1']
    await run(...dial(), ...question)
    await run('-json', `${upstream.url}/json`, ...question)
    expect(upstream.requests.slice(before).map(({ headers }) => headers.authorization)).toEqual([
      'Bearer a-token-of-tests-1',
      'Bearer a-token-of-tests-1',
    ])
  })

  it('prints every flag and the answer', async () => {
    const { code, out } = await run(
      ...dial(),
      '-domain',
      'shop',
      '-descriptors',
      'tenant=t1,path=/a',
      '--descriptors=k=v',
    )
    expect([code, out]).toEqual([
      0,
      [
        'Flag: --descriptors="[ <key=tenant, value=t1>  <key=path, value=/a> ] [ <key=k, value=v> ] "',
        `Flag: --dial_string="localhost:${front.port}"`,
        'Flag: --domain="shop"',
        'Flag: --grpc-cert-file=""',
        'Flag: --grpc-key-file=""',
        'Flag: --grpc-server-ca-file=""',
        'Flag: --grpc-use-tls="false"',
        'Flag: --oltp-protocol=""',
        'response: overall_code:OK statuses:{code:OK current_limit:{requests_per_unit:5 unit:MINUTE} limit_remaining:4}',
      ],
    ])
  })

  it('accepts -oltp-protocol and warns that nothing is traced', async () => {
    const { code, err } = await run(...dial(), '-domain', 'shop', '-oltp-protocol', 'http')
    expect([code, err]).toEqual([0, 'oltp-protocol is ignored: nothing is traced\n'])
  })

  it('exits with 0 when the answer is OVER_LIMIT', async () => {
    const { code, out } = await run(...dial(), '-domain', 'shop', '-hits', '6', '-descriptors', 'k=v')
    expect([code, out.at(-1)]).toEqual([
      0,
      'response: overall_code:OVER_LIMIT statuses:{code:OVER_LIMIT current_limit:{requests_per_unit:5 unit:MINUTE}}',
    ])
  })

  it('asks the number of times of `--repeat`', async () => {
    const { code, out } = await run(...dial(), '-domain', 'shop', '-repeat', '3')
    expect([code, out.filter((line) => line.startsWith('response: ')).length]).toEqual([0, 3])
  })

  it('exits with 1 and the text of the status when the service refuses', async () => {
    const { code, out } = await run(...dial())
    expect([code, out.at(-1)]).toEqual([
      1,
      'request error: rpc error: code = Unknown desc = rate limit domain must not be empty',
    ])
  })

  it('exits with 1 when no service listens', async () => {
    const { code, out } = await run('-dial_string', '127.0.0.1:1', '-domain', 'shop')
    expect([code, out.at(-1)]).toEqual([
      1,
      'request error: rpc error: code = Unavailable desc = connection error: connect ECONNREFUSED 127.0.0.1:1',
    ])
  })

  it('rejects an invalid address with exit code 1', async () => {
    const { code, out } = await run('-dial_string', 'http://x/')
    expect([code, out.at(-1)]).toEqual([
      1,
      'error connecting: Cannot connect: "http://x/" is not an address, expected host:port',
    ])
  })

  it('speaks TLS with a client certificate', async () => {
    const tls = [
      '-grpc-use-tls',
      '-grpc-server-ca-file',
      pem('ca.pem'),
      '-grpc-cert-file',
      pem('client.pem'),
      '-grpc-key-file',
      pem('client.key'),
    ]
    const known = await run('-dial_string', `localhost:${secure.port}`, '-domain', 'shop', ...tls)
    expect([known.code, known.out.at(-1)?.slice(0, 25)]).toEqual([0, 'response: overall_code:OK'])
    const unknown = await run('-dial_string', `localhost:${secure.port}`, '-domain', 'shop', '-grpc-use-tls')
    expect([unknown.code, unknown.out.at(-1)?.slice(0, 46)]).toEqual([
      1,
      'request error: rpc error: code = Unavailable d',
    ])
    const missing = await run(...dial(), '-grpc-use-tls', '-grpc-server-ca-file', '/no/such')
    expect([missing.code, missing.out.at(-1)?.slice(0, 25)]).toEqual([1, 'error connecting: ENOENT:'])
  })

  it('asks in JSON, where 429 is an answer and 400 an error', async () => {
    const answers = [
      [200, '{"overallCode":"OK","statuses":[{"code":"OK"}]}'],
      [429, '{"overallCode":"OVER_LIMIT","statuses":[{"code":"OVER_LIMIT"}]}'],
      [400, 'Bad Request\n'],
    ] as const
    const asked: string[] = []
    const server = createServer((request, response) => {
      const [status, body] = answers[asked.length] ?? [500, '']
      asked.push(`${request.method} ${request.url}`)
      response.writeHead(status).end(body)
    })
    const port = await listen(server)
    const { code, out } = await run(
      '--json',
      `http://127.0.0.1:${port}`,
      '-domain',
      'shop',
      '-descriptors',
      'k=v',
      '-repeat',
      '5',
    )
    server.close()
    expect(code).toBe(1)
    expect(out.slice(-3)).toEqual([
      'response: overall_code:OK statuses:{code:OK}',
      'response: overall_code:OVER_LIMIT statuses:{code:OVER_LIMIT}',
      'request error: HTTP 400: Bad Request',
    ])
    expect(asked).toEqual(['POST /json', 'POST /json', 'POST /json'])
  })

  it('exits with 2 when the command line makes no sense, with 0 after -help', async () => {
    const wrong = await run('-descriptors', 'k')
    expect([wrong.code, wrong.err.split('\n')[0]]).toEqual([
      2,
      'invalid value "k" for flag -descriptors: invalid descriptor list',
    ])
    const help = await run('-help')
    expect([help.code, help.err.includes('-dial_string')]).toEqual([0, true])
  })
})

describe('parseFlags()', () => {
  it('refuses what makes no sense', () => {
    expect(parseFlags(['-nope'])).toEqual({ message: 'flag provided but not defined: -nope' })
    expect(parseFlags(['-constructor', 'x'])).toEqual({ message: 'flag provided but not defined: -constructor' })
    expect(parseFlags(['-domain'])).toEqual({ message: 'flag needs an argument: -domain' })
    for (const value of ['k=v=w', 'k', '', 'k=v,']) {
      expect(parseFlags(['-descriptors', value])).toEqual({
        message: `invalid value "${value}" for flag -descriptors: invalid descriptor list`,
      })
    }
    expect(parseFlags(['-hits', '4294967296'])).toHaveProperty('message')
    expect(parseFlags(['-repeat=-1'])).toHaveProperty('message')
    expect(parseFlags(['-grpc-use-tls=maybe'])).toHaveProperty('message')
  })

  it('reads one dash, two dashes and the equals sign, and takes the last of a flag', () => {
    const flags = parseFlags(['-domain', 'a', '--domain=b', '-grpc-use-tls=T', '--hits', '7', 'rest', '-domain', 'c'])
    const expected = { domain: 'b', 'grpc-use-tls': 'true', hits: '7', dial_string: 'localhost:8081' }
    expect(flags).toMatchObject({ values: expected })
  })

  it('takes the token of the flag before that of the environment, and shows neither', () => {
    const environment = { RATELIMIT_TOKEN: 'from-the-environment' }
    const given = parseFlags(['-token', 'from-the-flag'], environment)
    expect(given).toMatchObject({ values: { token: 'from-the-flag' } })
    expect(parseFlags([], environment)).toMatchObject({ values: { token: 'from-the-environment' } })
    if (given === 'help' || 'message' in given) throw new Error('the flags were not read')
    expect(listFlags(given).join()).not.toContain('from-the-flag')
    const expected = 'expected letters, digits and -._~+/='
    expect(parseFlags(['-token', 'two words'])).toEqual({ message: `invalid value for flag -token: ${expected}` })
    expect(parseFlags([], { RATELIMIT_TOKEN: 'a\r\nb' })).toEqual({ message: `invalid RATELIMIT_TOKEN: ${expected}` })
  })
})
