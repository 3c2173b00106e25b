import { describe, expect, test } from 'vitest'
import { startTestNode } from '../support/devnode.ts'

describe('handleRpc()', () => {
  const node = startTestNode()
  const cases: readonly (readonly [name: string, text: string, status: number, code: number])[] = [
    ['text that is not JSON', '{', 400, -32700],
    ['a batch', '[]', 400, -32600],
    ['another version', '{"jsonrpc":"1.0","id":1,"method":"user.ping","params":{}}', 400, -32600],
    ['id 0', '{"jsonrpc":"2.0","id":0,"method":"user.ping","params":{}}', 400, -32600],
    ['no id', '{"jsonrpc":"2.0","method":"user.ping","params":{}}', 400, -32600],
    ['params that are a list', '{"jsonrpc":"2.0","id":1,"method":"user.ping","params":[]}', 400, -32602],
    ['an unknown method', '{"jsonrpc":"2.0","id":1,"method":"user.pong","params":{}}', 404, -32601],
    ['a method of an object', '{"jsonrpc":"2.0","id":1,"method":"constructor","params":{}}', 404, -32601],
    ['an account without id', '{"jsonrpc":"2.0","id":1,"method":"user.account","params":{}}', 400, -32602],
    ['a hash with 0x', '{"jsonrpc":"2.0","id":1,"method":"user.tx_query","params":{"tx_hash":"0x12"}}', 400, -32602],
    ['a call without body', '{"jsonrpc":"2.0","id":1,"method":"user.call","params":{}}', 400, -32602],
    ['a broadcast of nothing', '{"jsonrpc":"2.0","id":1,"method":"user.broadcast","params":{"tx":null}}', 400, -32602],
  ]
  for (const [name, text, status, code] of cases) {
    test(`refuses ${name} with ${code} and HTTP ${status}`, () => {
      const answer = node.send(text)
      expect(answer).toMatchObject({ status, body: { error: { code } } })
    })
  }

  test('answers the id of a request whose params do not fit', () => {
    for (const params of [[], 5]) {
      const text = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'user.ping', params })
      expect(node.send(text)).toMatchObject({ body: { id: 7, error: { code: -32602 } } })
    }
  })

  test('answers the id it was asked with, text or number', () => {
    for (const id of [7, '8']) {
      expect(node.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'user.ping' }))).toMatchObject({ body: { id } })
    }
  })
})
