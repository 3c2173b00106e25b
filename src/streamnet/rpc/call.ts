/** View calls: anonymous, with a caller's address, or signed over a challenge where the node is private. */

import { encodeBase64 } from '../../base/base64.ts'
import { encodeActionCall } from '../codec/payload.ts'
import { signatureType } from '../codec/transaction.ts'
import { toTypedValue } from '../codec/value.ts'
import { isStreamNetError } from '../errors.ts'
import type { CallResult, Client } from '../ports.ts'
import type { ActionArg } from '../types.ts'
import { fromActionError } from './errors.ts'
import type { CallJson, RpcMethods } from './methods.ts'
import { readTable } from './table.ts'

/**
 * Calls a view action. The signer's address goes along as the caller; an open node believes it unproven, so
 * read visibility there is advice and not protection. A node in private mode asks for a signature over a
 * challenge and gets it; a gateway that asks who is there gets a sign-in, once for all calls it refused together.
 *
 * @param action - its name on the network.
 * @param args - in the action's order.
 * @param namespace - that of the network's own actions when left out.
 * @throws StreamNetError invalid_argument when an argument cannot be encoded.
 * @throws StreamNetError permission_denied when the action refuses the caller.
 * @throws StreamNetError not_found when the action finds nothing.
 * @throws StreamNetError action_failed when the action raises another error.
 * @throws StreamNetError unauthenticated when the node is private and there is no signer, or not the right
 * one.
 * @throws StreamNetError as `Transport.request` does.
 */
export async function callAction(
  client: Client,
  action: string,
  args: readonly ActionArg[],
  namespace = '',
): Promise<CallResult> {
  const known = namespace === '' ? await client.view?.(action, args) : undefined
  if (known !== undefined) return known
  const payload = encodeActionCall({ namespace, action, args: args.map(toTypedValue) })
  const open: CallJson = {
    body: { payload: encodeBase64(payload), challenge: null },
    auth_type: signatureType,
    sender: client.signer?.address.slice(2) ?? '',
    signature: '',
  }
  const { signer, proveCall } = client
  const answer = await client.request('user.call', open).catch((refusal) => {
    if (!signer || !proveCall || !isStreamNetError(refusal, 'unauthenticated')) throw refusal
    return proveCall(client, signer, { namespace, action, payload, open, refusal })
  })
  // The text of an error travels in a success; ignored, it would look like an empty result.
  if (answer.error) throw fromActionError(action, answer.error)
  return readResult(answer)
}

/** Reads what an action gave back. */
export function readResult({
  query_result,
  logs,
}: Pick<RpcMethods['user.call']['result'], 'query_result' | 'logs'>): CallResult {
  return { ...readTable(query_result), logs: readLogs(logs) }
}

/** Splits a node's logs into lines and takes their numbers off: `1. first` is `first`. */
export function readLogs(logs: string | null | undefined): readonly string[] {
  return (logs ?? '')
    .split('\n')
    .map((line) => line.replace(/^\d+\. /, ''))
    .filter((line) => line !== '')
}
