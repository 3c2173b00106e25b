/** Parameters of an operation: every mistake with its path, slips that would stay for good, and exact numbers. */

import { beforeAll, describe, expect, it } from 'vitest'
import { generateStreamId } from '#streamnet/index.ts'
import { fullToken, gatewayAddress, gatewayKey, startGateway } from '../../support/gateway-bundle.ts'
import { host } from '../../support/host.ts'

const mine = generateStreamId('gateway parameters')
const gateway = host(() => startGateway())

beforeAll(() => gateway.run('deploy_stream', { stream_id: mine }))

describe('a body', () => {
  it.each([
    ['not JSON', '{"stream_id"', 400, 'malformed_json'],
    ['a list', '[]', 400, 'invalid_params'],
    ['ten thousand brackets', '['.repeat(10_000) + ']'.repeat(10_000), 400, 'malformed_json'],
    ['a megabyte and more', `{"name":"${'a'.repeat(1_000_001)}"}`, 413, 'body_too_large'],
  ])('that is %s is refused', async (_, text, status, code) => {
    expect(await gateway.call('/generate_stream_id', text)).toMatchObject({ status, body: { code, status } })
  })

  it('that declares no length is refused at its bound', async () => {
    // Just above the bound: the runtime reads 64 KiB more for a client that sends on, then it resets the connection.
    let chunks = 16
    const long = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (chunks-- > 0) controller.enqueue(new Uint8Array(65_536).fill(32))
        else controller.close()
      },
    })
    const answer = fetch(`${gateway.url}/streamnet/v1/get_type`, {
      method: 'POST',
      headers: { authorization: `Bearer ${fullToken}`, 'content-type': 'application/json' },
      body: long,
      duplex: 'half',
    } as RequestInit)
    expect((await answer).status).toBe(413)
  })

  it('of a form, which any page could post, is refused', async () => {
    const headers = { 'content-type': 'text/plain' }
    expect((await gateway.call('/get_type', '{}', { headers })).status).toBe(415)
  })
})

describe('parameters', () => {
  it('are all checked, and each mistake has its path', async () => {
    const { status, body } = await gateway.call('/insert_records', {
      stream_id: 'st1',
      records: [
        { date: 1, value: 1 },
        { date: 1.5, value: 'one' },
        { value: 2, extra: 1 },
      ],
      wait: 'yes',
      streem_id: mine,
    })
    expect(status).toBe(400)
    expect(body.code).toBe('invalid_params')
    expect(
      Object.fromEntries(body.mistakes.map(({ path, message }: Record<string, string>) => [path, message])),
    ).toEqual({
      stream_id: 'is "st1", expected "st" and 30 lower-case letters or digits',
      'records[1].date': 'is 1.5, expected a whole number (beyond 2^53 as text)',
      'records[1].value': 'is "one", expected a number or decimal text',
      'records[2].date': 'is required, expected a whole number (beyond 2^53 as text)',
      'records[2].extra': 'is not a parameter, expected date, value',
      wait: 'is "yes", expected true or false',
      streem_id: 'is not a parameter, perhaps stream_id',
    })
  })

  it('with a sender, signature or key are refused, and the answer has nothing of it', async () => {
    for (const name of ['sender', 'signer', 'private_key', '_auth', '__proto__']) {
      const { status, body } = await gateway.call('/get_type', `{"stream_id":"${mine}","${name}":"${gatewayKey}"}`)
      expect(status).toBe(400)
      expect(body.mistakes).toEqual([{ path: name, message: expect.stringContaining('is not a parameter') }])
      expect(JSON.stringify(body)).not.toContain(gatewayKey)
    }
  })

  it('have no names that objects keep for themselves', async () => {
    const body = `{"stream_id":"${mine}","child_streams":{"${generateStreamId('child')}":1,"__proto__":1}}`
    const answer = await gateway.call('/set_taxonomy', body)
    expect([answer.status, answer.body.mistakes]).toEqual([
      400,
      [{ path: 'child_streams', message: expect.any(String) }],
    ])
  })

  it('whose dates would be milliseconds are refused with what is right', async () => {
    const record = { date: 1_760_000_000_000, value: 1 }
    const { status, body } = await gateway.call('/insert_record', { stream_id: mine, record })
    expect([status, body.code]).toEqual([400, 'invalid_params'])
    expect(body.mistakes).toEqual([
      { path: 'record.date', message: expect.stringContaining('if these are milliseconds, 1760000000') },
    ])
  })

  it('with a slip that would stay for good are taken with force', async () => {
    expect((await gateway.call('/generate_stream_id?name=')).status).toBe(400)
    expect((await gateway.call('/generate_stream_id?name=&force=true')).body.result).toMatch(/^ste3b0c442/)
  })

  it('take 64-bit integers as numbers or text, and none beyond', async () => {
    const args = (value: string) =>
      `{"procedure":"get_record","args":["${gatewayAddress}","${mine}",{"int8":${value}},null,null]}`
    for (const value of ['9223372036854775807', '"9223372036854775807"', '-9223372036854775808']) {
      expect((await gateway.call('/call_procedure', args(value))).status).toBe(200)
    }
    expect((await gateway.call('/call_procedure', args('9223372036854775808'))).status).toBe(400)
  })
})
