/** Calls of the development node's operator methods, and their results. */

import { ask } from '../../frame/api.ts'
import { ConsoleError } from '../../frame/errors.ts'
import { sessionKey } from '../../frame/session.ts'

/** The name of the operator's token in a deployment. */
export const tokenName = 'STREAMNET_ADMIN_TOKEN'

/** The state of the node, as `dev.status` gives it. */
export interface Status {
  readonly height: number
  readonly block_time_ms: number
  readonly chain_time_ms: number
  /** Transactions that wait for a block. */
  readonly waiting: number
  readonly mining: { readonly kind: 'auto' | 'manual' | 'interval'; readonly intervalMs?: number }
  readonly profile: string
  readonly chain_id: string
  readonly operator: string
}

/** Results of the other methods, each with the members that its method gives. */
export type Outcome = Partial<Status> & {
  readonly snapshot?: number
  readonly impersonated?: readonly string[]
  readonly faults?: readonly { readonly method: string; readonly kind: string; readonly times: number }[]
  readonly streams?: readonly unknown[]
}

type Answer<T> = { readonly result: T; readonly error?: { readonly message: string } }

/** Calls a method. @param token - The operator's; empty for the session. @throws ConsoleError when the call failed. */
export async function callNode<T>(token: string, method: string, params: object): Promise<T> {
  const answer = await ask<Answer<T>>('streamnet', '/streamnet/admin/rpc/v1', {
    method: 'POST',
    ...((token !== '' || sessionKey.peek() === '') && { token: { name: tokenName, value: token } }),
    body: { jsonrpc: '2.0', id: 1, method, params },
  })
  if (answer.error !== undefined) throw new ConsoleError(answer.error.message, { status: 200 })
  return answer.result
}
