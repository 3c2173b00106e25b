/** Any action of the network, by its name. */

import { numeric } from '../codec/value.ts'
import { invalidArgument } from '../errors.ts'
import type { Client, SendOptions } from '../ports.ts'
import { callAction } from '../rpc/call.ts'
import { sendTransaction } from '../transaction/send.ts'
import type { ActionArg, Scalar, TxHash } from '../types.ts'
import { assertFilled } from './parameters.ts'

/** A table of exact values: decimals as text, integers as bigint, bytes as bytes. */
export interface ProcedureResult {
  readonly columnNames: readonly string[]
  readonly values: readonly (readonly (Scalar | readonly Scalar[])[])[]
}

/**
 * Reads a view action. Null stands for an optional argument that is left out; a number with a fraction becomes
 * numeric(36,18), other decimals are made with `numeric`.
 */
export async function callProcedure(
  client: Client,
  params: { readonly procedure: string; readonly args?: readonly ActionArg[] | undefined },
): Promise<ProcedureResult> {
  const { columnNames, rows } = await callAction(
    client,
    nameOf(params.procedure),
    (params.args ?? []).map(toArg),
  )
  return { columnNames, values: rows }
}

/**
 * Sends one transaction in which an action runs once for each list of arguments; all succeed or none.
 *
 * @throws invalid_argument when there is no list; one empty list runs the action without arguments.
 */
export async function executeProcedure(
  client: Client,
  params: { readonly procedure: string; readonly args: readonly (readonly ActionArg[])[] } & SendOptions,
): Promise<TxHash> {
  assertFilled(params.args, 'args')
  return sendTransaction(
    client,
    nameOf(params.procedure),
    params.args.map((args) => args.map(toArg)),
    params,
  )
}

function toArg(arg: ActionArg): ActionArg {
  return typeof arg === 'number' && !Number.isInteger(arg) ? numeric(arg) : arg
}

function nameOf(procedure: string): string {
  if (/^\w+$/.test(procedure)) return procedure
  throw invalidArgument(`procedure is "${procedure}", expected the name of an action`)
}
