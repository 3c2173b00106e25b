/** Any action of the network, by its name. */

import { numeric } from '../codec/value.ts'
import { invalidArgument } from '../errors.ts'
import type { Client, SendOptions } from '../ports.ts'
import { callAction } from '../rpc/call.ts'
import { sendTransaction } from '../transaction/send.ts'
import type { ActionArg, Scalar, TxHash } from '../types.ts'
import { assertFilled } from './parameters.ts'

/** A value of a result as callers get it. */
export type Cell = Scalar | number

/** A table of exact values: decimals as text, integers as numbers and beyond 2^53 as bigint, bytes as bytes. */
export interface ProcedureResult {
  readonly columnNames: readonly string[]
  readonly values: readonly (readonly (Cell | readonly Cell[])[])[]
}

/**
 * Reads a view action. Null means an optional argument that is left out; a number with a fraction becomes
 * numeric(36,18), other decimals are made with `numeric`.
 *
 * @param params - `args` in the action's order; none when left out.
 * @throws StreamNetError invalid_argument when the name or an argument is malformed.
 *
 * @example
 * const args = [provider, streamId, 1_760_000_000, null, null, false]
 * const { values } = await callProcedure(client, { procedure: 'get_record', args })
 */
export async function callProcedure(
  client: Client,
  params: { readonly procedure: string; readonly args?: readonly ActionArg[] | undefined },
): Promise<ProcedureResult> {
  const { columnNames, rows } = await callAction(
    client,
    checkProcedure(params.procedure),
    (params.args ?? []).map(toArg),
  )
  return { columnNames, values: rows.map((row) => row.map(toCell)) }
}

/** JSON cannot write a bigint, so only an integer that a number cannot hold stays one. */
function toCell(cell: Scalar | readonly Scalar[]): Cell | readonly Cell[] {
  // `Array.isArray` does not narrow a readonly list: a cell is a list of scalars or one scalar.
  return Array.isArray(cell) ? (cell as readonly Scalar[]).map(toScalar) : toScalar(cell as Scalar)
}

function toScalar(value: Scalar): Cell {
  return typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value
}

/**
 * Sends one transaction in which an action runs once for each list of arguments; all succeed or none.
 *
 * @param params - `args` has a list of arguments for each run; one empty list runs the action without
 * arguments.
 * @throws StreamNetError invalid_argument when the name or an argument is malformed, or there is no list.
 *
 * @example
 * await executeProcedure(client, { procedure: 'set_allow_zeros', args: [[provider, streamId, true]] })
 */
export async function executeProcedure(
  client: Client,
  params: { readonly procedure: string; readonly args: readonly (readonly ActionArg[])[] } & SendOptions,
): Promise<TxHash> {
  assertFilled(params.args, 'args')
  return sendTransaction(
    client,
    checkProcedure(params.procedure),
    params.args.map((args) => args.map(toArg)),
    params,
  )
}

function toArg(arg: ActionArg): ActionArg {
  return typeof arg === 'number' && !Number.isInteger(arg) ? numeric(arg) : arg
}

function checkProcedure(procedure: string): string {
  if (/^\w+$/.test(procedure)) return procedure
  throw invalidArgument(`procedure is "${procedure}", expected the name of an action`)
}
