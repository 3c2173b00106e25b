/** The exchange of the console's code for tokens, at a front without a runtime behind it. */

import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { type HttpFront, startHttpFront } from '../../bin/http-front/front.ts'
import { createSignIn, type SignIn } from '../../bin/http-front/sign-in.ts'
import { createUpstream } from '../../bin/http-front/upstream.ts'

const tokens = { ADMIN_TOKEN: 'a', GRID_TOKEN: 'g', STREAMNET_TOKEN: 's' }
const json = { 'content-type': 'application/json' }
const fronts: HttpFront[] = []

afterEach(async () => {
  await Promise.all(fronts.splice(0).map((front) => front.stop(0)))
})

/** A front with a code, and what exchanges a code there. */
async function start(readClock?: () => number) {
  const signIn: SignIn = createSignIn(tokens, readClock)
  // Nothing listens there: every request that reaches it would fail.
  const front = await startHttpFront({ upstream: createUpstream({ host: '127.0.0.1', port: 9 }), signIn })
  fronts.push(front)
  const exchange = (code: string, headers: Readonly<Record<string, string>> = json) =>
    fetch(`http://127.0.0.1:${front.port}/console/session`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ code }),
    })
  return { code: signIn.code, exchange, url: `http://127.0.0.1:${front.port}/console/session` }
}

describe('createSignIn', () => {
  it('gives the tokens once, and to nothing but the code', async () => {
    const { code, exchange } = await start()
    expect((await exchange('wrong')).status).toBe(403)
    const first = await exchange(code)
    expect([first.status, first.headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(await first.json()).toEqual(tokens)
    expect((await exchange(code)).status).toBe(403)
  })

  it('ends after ten wrong codes', async () => {
    const { code, exchange } = await start()
    for (let at = 0; at < 10; at++) await exchange(`wrong ${at}`)
    expect((await exchange(code)).status).toBe(403)
  })

  it('ends after ten minutes', async () => {
    let nowMs = 0
    const { code, exchange } = await start(() => nowMs)
    nowMs = 600_000
    expect((await exchange(code)).status).toBe(403)
  })

  it('refuses pages of other origins, other types and other methods, and the code stays good', async () => {
    const { code, exchange, url } = await start()
    expect((await exchange(code, { ...json, 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect((await exchange(code, { 'content-type': 'text/plain' })).status).toBe(403)
    expect((await fetch(url)).status).toBe(405)
    expect((await exchange(code, { ...json, 'sec-fetch-site': 'same-origin' })).status).toBe(200)
  })

  it('answers a body that is too long, and the code stays good', async () => {
    const { code, exchange } = await start()
    const refused = await exchange('x'.repeat(100_000))
    expect([refused.status, await refused.text()]).toEqual([
      413,
      'Cannot sign in: expected at most 1000 octets\n',
    ])
    expect((await exchange(code)).status).toBe(200)
  })

  it('ends for a client that leaves in the middle of its body, and the code stays good', async () => {
    const signIn = createSignIn(tokens)
    const answers: Promise<void>[] = []
    const server = createServer((request, response) => void answers.push(signIn.answer(request, response)))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    // A server on a port has an address of this form.
    const { port } = server.address() as AddressInfo
    const fields = 'Host: localhost\r\nContent-Type: application/json\r\nContent-Length: 100'
    const client = connect({ host: '127.0.0.1', port })
    client.write(`POST /console/session HTTP/1.1\r\n${fields}\r\n\r\n{"code":`)
    await expect.poll(() => answers.length).toBe(1)
    client.destroy()
    await expect(answers[0]).resolves.toBeUndefined()
    const body = JSON.stringify({ code: signIn.code })
    const answer = await fetch(`http://127.0.0.1:${port}/console/session`, {
      method: 'POST',
      headers: json,
      body,
    })
    expect(answer.status).toBe(200)
    await answer.arrayBuffer()
    server.closeAllConnections()
    server.close()
  })

  it('draws 128 bits', () => {
    const codes = new Set(Array.from({ length: 100 }, () => createSignIn(tokens).code))
    expect(codes.size).toBe(100)
    for (const code of codes) expect(code).toMatch(/^[\w-]{22}$/)
  })
})
