import { describe, expect, it } from 'vitest'
import { GatewayError } from '#gateway/errors.ts'
import { writeJson } from '#gateway/json.ts'
import { toProblem } from '#gateway/outcome.ts'
import { StreamNetError } from '#streamnet/index.ts'

const secret = 'd1'.repeat(32)

describe('toProblem()', () => {
  it('keeps code, text and data of the network', () => {
    const data = { hash: 'ab', height: 7, txCode: 65_535, log: 'ERROR: x', reason: 'x' }
    expect(toProblem(new StreamNetError('transaction_failed', 'transaction failed: ERROR: x', data))).toEqual({
      code: 'transaction_failed',
      message: 'transaction failed: ERROR: x',
      data: { hash: 'ab', height: 7, tx_code: 65_535, log: 'ERROR: x', reason: 'x' },
    })
    expect(toProblem(new StreamNetError('rpc_error', 'r', { rpcCode: -1, data: { a: [1] } })).data).toEqual({
      rpc_code: -1,
      data: '{"a":[1]}',
    })
  })

  it('keeps mistakes and hints of the gateway', () => {
    const mistakes = [{ path: 'a', message: 'b' }]
    const error = new GatewayError('invalid_params', 'Cannot', { mistakes, hint: 'do' })
    expect(toProblem(error)).toEqual({ code: 'invalid_params', message: 'Cannot', hint: 'do', mistakes })
  })

  it('contains no cause and no stack of an internal error', () => {
    const errors = [
      new Error(secret),
      secret,
      null,
      new GatewayError('forbidden', 'Cannot', { cause: new Error(secret) }),
    ]
    for (const thrown of errors) expect(JSON.stringify(toProblem(thrown))).not.toContain(secret)
    expect(toProblem(new Error('x')).code).toBe('internal')
  })
})

describe('writeJson()', () => {
  it('writes nothing as null', () => {
    expect([writeJson(undefined), writeJson('a')]).toEqual(['null', '"a"'])
  })
})
