import { execFile } from 'node:child_process'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { projectRoot } from '#bin/project.ts'
import { profiles } from '#devnode/profiles.ts'
import { operatorEndpoint } from '../support/conformance/node-connection.ts'
import { startTestNode } from '../support/devnode.ts'
import { listen } from '../support/listen.ts'

const token = 'operator-token-of-the-tests'

/** A node in memory behind two ports, whose answers a test may change. */
interface ServedNode {
  readonly env: Readonly<Record<string, string>>
  change: (answer: string) => string
  close(): void
}

async function answerWith(answer: (text: string, authorization: string) => string): Promise<[Server, string]> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    response.end(answer(Buffer.concat(chunks).toString(), request.headers.authorization ?? ''))
  })
  return [server, `http://127.0.0.1:${await listen(server)}`]
}

async function serve(profile: keyof typeof profiles): Promise<ServedNode> {
  const node = startTestNode({ profile: profiles[profile], writers: [], managers: [] })
  const bodyOf = (answer: ReturnType<typeof node.send>) =>
    JSON.stringify(typeof answer === 'string' ? answer : answer.body)
  const [publicServer, endpoint] = await answerWith((text) => served.change(bodyOf(node.send(text))))
  const [adminServer, operator] = await answerWith((text, authorization) =>
    authorization === `Bearer ${token}` ? bodyOf(node.sendAdmin(text)) : 'the token is missing',
  )
  const served: ServedNode = {
    env: { STREAMNET_ENDPOINT: endpoint, OPERATOR: operator },
    change: (answer) => answer,
    close() {
      for (const server of [publicServer, adminServer]) {
        server.closeAllConnections()
        server.close()
      }
    },
  }
  return served
}

let node: ServedNode
let older: ServedNode
beforeAll(async () => {
  node = await serve('head')
  older = await serve('seed')
})
afterAll(() => {
  node.close()
  older.close()
})

function run(served: ServedNode, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const command = [join(projectRoot, 'bin/run.mjs'), 'streamnet', 'conformance', ...args]
  const operator = served.env.OPERATOR ?? ''
  return new Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>((resolve) => {
    const child = execFile(
      process.execPath,
      [...command, '--operator', operator],
      {
        env: {
          PATH: process.env.PATH ?? '',
          HOME: process.env.HOME ?? '',
          STREAMNET_ADMIN_TOKEN: token,
          ...served.env,
          ...env,
        },
      },
      (_, stdout, stderr) => resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    )
  })
}

describe('streamnet conformance', () => {
  test('a node that answers as recorded ends with 0 and the number of compared answers', async () => {
    const { code, stdout, stderr } = await run(node, ['--only', 'liquidity'])
    expect(stderr).toBe('')
    expect(stdout).toBe(
      'liquidity-52: 174 of 174 answers are the recorded ones\nAll 174 answers are the recorded ones\n',
    )
    expect(code).toBe(0)
  })

  test('an answer that differs is printed beside the recorded one, and the exit code is 1', async () => {
    node.change = (answer) => answer.replaceAll('"bool"', '"boolean"')
    onTestFinished(() => {
      node.change = (answer) => answer
    })
    const { code, stdout } = await run(node, ['--only', 'liquidity'])
    expect(stdout).toMatch(/^liquidity-52: \d+ of 174 answers are the recorded ones\n {2}liquidity-52 step \d+, \w+\n/)
    expect(stdout).toMatch(/\n {4}recorded \{"columns":.*\n {4}answered \{"columns":.*\n {2}and \d+ more, see --json\n/)
    expect(code).toBe(1)
    const { stdout: json } = await run(node, ['--only', 'liquidity', '--json'])
    const [result] = JSON.parse(json)
    expect(result.name).toBe('liquidity-52')
    expect(result.differences[0]).toMatchObject({ index: expect.any(Number), action: expect.any(String) })
  })

  test.each([
    [
      ['--only', 'nothing'],
      2,
      'no name contains "nothing", expected one of agents-771, market-41, liquidity-52, streams-21',
    ],
    [['--ony', 'x'], 2, 'there is no option --ony, perhaps --only'],
    [['--scenarios', '/none'], 2, 'Cannot read /none: ENOENT: no such file'],
    [['--scenarios', '/'], 2, 'Cannot read /: EISDIR'],
    [['--endpoint', 'node'], 2, '"node" is not an http address'],
    [['--endpoint', 'http://127.0.0.1:1', '--only', 'liq'], 1, 'http://127.0.0.1:1/rpc/v1 does not answer'],
  ])('%j ends with %d: %s', async (args, code, message) => {
    const ended = await run(node, args)
    expect(ended.stderr).toContain(message)
    expect(ended.code).toBe(code)
  })

  test('a scenario that cannot go on leaves the node reset as well', async () => {
    let answers = 0
    node.change = (answer) => (++answers > 60 ? 'out of order' : answer)
    onTestFinished(() => {
      node.change = (answer) => answer
    })
    const { code, stderr } = await run(node, ['--only', 'liquidity'])
    expect([code, stderr]).toEqual([1, expect.stringContaining('answered "out of order", expected JSON-RPC')])
    const status = await fetch(`${node.env.OPERATOR}/rpc/v1`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'dev.status', params: {} }),
    })
    expect(await status.json()).toMatchObject({ result: { height: 1 } })
  })

  test('a missing token and a node of another profile each give one line', async () => {
    const closed = await run(node, [], { STREAMNET_ADMIN_TOKEN: '' })
    expect(closed.stderr).toMatch(/^Cannot reach the node: .* answered "the token is missing", expected JSON-RPC\n$/)
    const wrong = await run(older, [])
    expect(wrong.stderr).toBe(
      'Cannot run the scenarios: the node has profile seed, expected head (STREAMNET_PROFILE=head)\n',
    )
    expect([closed.code, wrong.code]).toEqual([1, 1])
  })
})

test.each([
  ['http://127.0.0.1:8484', 'http://127.0.0.1:8485'],
  ['http://127.0.0.1:8484/', 'http://127.0.0.1:8485'],
  ['https://node.example/streamnet/node', 'https://node.example/streamnet/admin'],
])('operatorEndpoint() of %s is %s', (endpoint, operator) => {
  expect(operatorEndpoint(endpoint)).toBe(operator)
})
