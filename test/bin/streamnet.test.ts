import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { projectRoot } from '#bin/project.ts'
import { listen } from '../support/listen.ts'
import { createLoopbackNode } from '../support/loopback-node.ts'
import { startProgram, waitFor } from '../support/process.ts'

const key = '11'.repeat(32)
const own = '0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a'
const streamId = `st${'0'.repeat(30)}`
const node = createLoopbackNode()
let endpoint = ''

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  // Header names are text; a list of values occurs in none that the client sends.
  const headers = request.headers as Record<string, string>
  const answer = await node.platform.fetch('/rpc/v1', {
    method: 'POST',
    headers,
    body: Buffer.concat(chunks).toString(),
  })
  response.end(await answer.text())
})

beforeAll(async () => {
  endpoint = `http://127.0.0.1:${await listen(server)}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> =>
  new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [join(projectRoot, 'bin/run.mjs'), 'streamnet', ...args],
      { env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', STREAMNET_ENDPOINT: endpoint, ...env } },
      (_, stdout, stderr) => resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    )
  })

describe('streamnet node', () => {
  const command = [join(projectRoot, 'bin/run.mjs'), 'streamnet', 'node']

  test('runs a node until it is ended, and prints its addresses and keys as one line', async () => {
    const program = startProgram(process.execPath, [...command, '--json', '--now', '1790000000000'])
    try {
      await waitFor('the line', async () => program.output().endsWith('}\n'), program)
      const printed = JSON.parse(program.output())
      expect(printed).toMatchObject({ chain_id: 'sluice-dev', wallets: [{ key: '1'.padStart(64, '0') }, {}, {}, {}] })
      const told = await run(['list_streams', '--endpoint', printed.endpoint, '--json'])
      expect([told.code, told.stdout]).toEqual([0, '[]\n'])
      const port = new URL(printed.endpoint).port
      const second = await run(['node', '--port', port, '--json'])
      expect(second.code).toBe(2)
      expect(JSON.parse(second.stderr).message).toContain(`port ${port} of 127.0.0.1 is taken`)
    } finally {
      await program.stop()
    }
  })

  test('names a stream, finds it by its name, and shows names beside ids', async () => {
    const program = startProgram(process.execPath, [...command, '--json'])
    try {
      await waitFor('the line', async () => program.output().endsWith('}\n'), program)
      const printed = JSON.parse(program.output())
      const env = { STREAMNET_ENDPOINT: printed.endpoint, STREAMNET_PRIVATE_KEY: printed.wallets[0].key }
      const must = async (...args: readonly string[]) => {
        const { code, stdout, stderr } = await run([...args, '--json'], env)
        expect([code, stderr]).toEqual([0, ''])
        return JSON.parse(stdout)
      }
      await must('deploy_stream', '--stream_id', streamId)
      await must('set_name', '--stream_id', streamId, '--name', 'price of bread')
      await must('insert_records', '--stream_id', streamId, '--records', '[{"date":100,"value":"1.5"}]')
      const [named] = await must('names')
      expect(named).toMatchObject({ stream_id: streamId, name: 'price of bread' })
      expect(await must('get_last_record', '--stream', 'price of bread')).toMatchObject({ date: 100 })
      expect(await must('list_streams', '--names')).toMatchObject([{ stream_id: streamId, name: 'price of bread' }])
      const unknown = await run(['get_last_record', '--stream', 'price of bred', '--json'], env)
      expect([unknown.code, JSON.parse(unknown.stderr).message]).toEqual([
        1,
        expect.stringContaining('did you mean "price of bread"?'),
      ])
      expect((await run(['set_name', '--name', 'x'], env)).code).toBe(2)
    } finally {
      await program.stop()
    }
  })

  test.each([
    [['--port', '70000'], '--port is "70000", expected a whole number from 0 to 65535'],
    [['--profile', 'main'], '--profile is "main", expected seed or head'],
    [['--sed'], 'there is no option --sed, perhaps --seed'],
  ])('%j is a mistake of the command line', async (args, message) => {
    const { code, stderr } = await run(['node', ...args])
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
  })
})

describe('streamnet', () => {
  test('writes with the key of the environment and prints the hash', async () => {
    const records = '[{"date":1,"value":"1.5"}]'
    const args = ['insert_records', '--stream-id', streamId, '--records', records, '--json']
    const { code, stdout } = await run(args, { STREAMNET_PRIVATE_KEY: key })
    expect(code).toBe(0)
    expect(node.included.has(JSON.parse(stdout))).toBe(true)
    expect(node.executed.at(-1)?.calls[0]?.map(({ value }) => value)).toEqual([
      [own],
      [streamId],
      [1n],
      ['1.500000000000000000'],
    ])
  })

  test('reads anonymously without a key, and prints snake case', async () => {
    node.answers.set('list_streams', { rows: [[own, streamId, 'primitive', 5n]] })
    const { stdout } = await run(['list_streams', '--limit=1', '--json'])
    expect(JSON.parse(stdout)).toEqual([
      { data_provider: own, stream_id: streamId, stream_type: 'primitive', created_at: 5 },
    ])
    expect(node.called.at(-1)?.sender).toBe('')
  })

  test('needs no node for what sends nothing', async () => {
    const { code, stdout } = await run(['generate_stream_id', '--name', 'p1'], { STREAMNET_ENDPOINT: '' })
    expect([code, stdout]).toEqual([0, 'stf64551fcd6f07823cb87971cfb9144\n'])
  })

  test('takes an empty name with --force', async () => {
    for (const force of [['--force'], ['--force', 'true']]) {
      const { stdout } = await run(['generate_stream_id', ...force, '--name', ''])
      expect(stdout).toBe('ste3b0c44298fc1c149afbf4c8996fb9\n')
    }
  })

  test.each<[string, readonly string[], number, string]>([
    ['an unknown operation', ['deployStream'], 2, 'there is no such operation'],
    ['an unknown parameter', ['get_type', '--x', '1'], 2, 'it has no parameter "x"'],
    ['a missing parameter', ['get_type'], 2, '"stream_id" is missing'],
    ['a missing value', ['get_type', '--stream_id'], 2, 'a value is missing'],
    ['a key in the arguments', ['get_type', '--private-key', key], 2, 'set STREAMNET_PRIVATE_KEY'],
    ['a list that is no JSON', ['batch_stream_exists', '--locators', '[{'], 2, 'is not JSON'],
    ['an empty name', ['generate_stream_id', '--name', ''], 2, 'name is empty, expected a name'],
    [
      'a date in milliseconds',
      ['insert_record', '--stream_id', streamId, '--record', '{"date":1760000000000,"value":1}'],
      2,
      'record.date is 1760000000000, expected Unix time in seconds: if these are milliseconds, 1760000000',
    ],
    ['a number that is none', ['get_market_info', '--query_id', 'x'], 2, '"x" is not a number'],
    ['a write without a key', ['destroy_stream', '--stream_id', streamId], 2, 'STREAMNET_PRIVATE_KEY is not set'],
    ['a malformed id', ['get_type', '--stream_id', 'x', '--data_provider', own], 1, 'stream_id must be exactly 32'],
  ])('says what is wrong with %s', async (_, args, expected, message) => {
    const { code, stdout, stderr } = await run(args)
    expect(stderr).toContain(message)
    expect([code, stdout]).toEqual([expected, ''])
    expect(stderr).not.toContain(key)
  })

  test('prints errors as JSON too, with their code and never the key', async () => {
    const { code, stderr } = await run(['get_type', '--stream_id', streamId, '--json'], {
      STREAMNET_PRIVATE_KEY: `${key}00`,
    })
    expect(code).toBe(1)
    expect(JSON.parse(stderr)).toMatchObject({ error: 'invalid_argument' })
    expect(stderr).not.toContain(key)
  })

  test('reaches the streams of one node, signed with the operator’s key', async () => {
    const args = ['local.create_stream', '--stream_id', streamId, '--stream_type', 'primitive', '--json']
    const { code, stderr } = await run(args, { STREAMNET_PRIVATE_KEY: key })
    // The loopback node has no admin server; what arrives is what counts.
    expect([code, JSON.parse(stderr).error]).toEqual([1, 'rpc_error'])
    expect(node.requests.at(-1)).toMatchObject({
      method: 'local.create_stream',
      params: { stream_id: streamId, stream_type: 'primitive', _auth: { ver: 'tn_local.auth.v1' } },
    })
  })

  test('lists every operation, and the parameters of one', async () => {
    expect((await run(['--list'])).stdout).toMatch(/get_withdrawal_proof[\s\S]*local\.disable_taxonomy/)
    expect((await run(['place_buy_order', '--help'])).stdout).toContain('--price: integer (at least 1, at most 99)')
  })
})
