/** A development node in memory as a connection that scenarios are played against. */

import type { NodeConnection } from './conformance/node-connection.ts'
import type { TestNode } from './devnode.ts'

/** Connects to a node of `startTestNode`. */
export function connectTestNode(node: TestNode): NodeConnection {
  return {
    async call(method, params) {
      const answer = node.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
      if (typeof answer === 'string') throw new Error(answer)
      return answer.body
    },
    operate: async (method, params = {}) => node.rpc(method, params),
  }
}
