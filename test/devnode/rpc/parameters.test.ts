import { describe, expect, test } from 'vitest'
import { listParameters, parameterTable } from '#devnode/rpc/parameters.ts'
import { adminMethods, publicMethods } from '#devnode/rpc.ts'
import { startTestNode } from '../../support/devnode.ts'

const describedMethods = Object.keys(parameterTable)

describe('listParameters()', () => {
  test('describes every method of both ports, and no other', () => {
    const known = [...publicMethods.keys(), ...adminMethods.keys()]
    expect([...describedMethods].sort()).toEqual(known.sort())
  })

  test('has a schema with a type of every parameter', () => {
    for (const method of describedMethods) {
      for (const { name, schema } of listParameters(method)) {
        const isTyped = ['type', 'enum', 'const'].some((key) => key in schema)
        expect([method, name, isTyped]).toEqual([method, name, true])
      }
    }
  })

  test('are empty for an unknown method', () => {
    expect(listParameters('user.nothing')).toEqual([])
    expect(listParameters('constructor')).toEqual([])
  })

  for (const method of describedMethods.filter((name) => name.startsWith('dev.'))) {
    test(`of ${method} are those that it takes`, () => {
      const node = startTestNode()
      const named = Object.fromEntries(listParameters(method).map(({ name }) => [name, []]))
      const refusal = (params: object) => {
        const answer = node.sendAdmin(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
        return typeof answer !== 'string' && 'error' in answer.body ? answer.body.error.message : ''
      }
      expect(refusal(named)).not.toContain('is not a parameter of')
      expect(refusal({ ...named, unknown: 1 })).toContain(`"unknown" is not a parameter of ${method}`)
    })
  }

  test('that must be given are missed when they are left out', () => {
    const node = startTestNode()
    for (const method of describedMethods) {
      const required = listParameters(method).filter((one) => one.required)
      // A local call without its parameters fails by the first rule that it breaks.
      if (required.length === 0 || method.startsWith('local.')) continue
      const send = method.startsWith('dev.') ? node.sendAdmin : node.send
      const answer = send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: {} }))
      if (typeof answer === 'string') throw new Error(answer)
      expect([method, 'error' in answer.body && answer.body.error.code]).toEqual([method, -32602])
    }
  })
})
