/** Roles: groups of wallets that may do something, each managed by an owner or by another group. */

import { invalidArgument } from '../errors.ts'
import { parseAddress } from '../ids.ts'
import { iterateList } from '../pages.ts'
import type { Client, SendOptions } from '../ports.ts'
import { callAction } from '../rpc/call.ts'
import { type Row, readRows } from '../rpc/table.ts'
import { sendTransaction } from '../transaction/send.ts'
import type { TxHash } from '../types.ts'
import { assertFilled, checkPage, type Page } from './parameters.ts'

/** The name of a role: `system` or a wallet, and the name that follows the colon. */
export interface RoleParams {
  readonly owner: string
  readonly roleName: string
}

type WalletsParams = RoleParams & { readonly wallets: readonly string[] }
const memberShape = { wallet: 'text', granted_at: 'int', granted_by: 'text' } as const

/** A member of a role; `grantedAt` is a block height. */
export type RoleMember = Row<typeof memberShape>

/**
 * Gives wallets a role. Owner or manager only; a wallet that has it already keeps it.
 *
 * @param params - `owner` is `system` or an address, `roleName` what follows the colon; `wallets` are
 * addresses, at least one.
 * @throws StreamNetError invalid_argument when the owner, the name or a wallet is malformed, or there is no
 * wallet.
 *
 * @example
 * await grantRole(client, { owner: 'system', roleName: 'network_writer', wallets: [friend] })
 */
export async function grantRole(client: Client, params: WalletsParams & SendOptions): Promise<TxHash> {
  return sendTransaction(client, 'grant_roles', [walletArgs(params)], params)
}

/**
 * Takes a role from wallets. Owner or manager only.
 *
 * @param params - `owner` is `system` or an address, `roleName` what follows the colon; `wallets` are
 * addresses, at least one.
 * @throws StreamNetError invalid_argument when the owner, the name or a wallet is malformed, or there is no
 * wallet.
 *
 * @example
 * await revokeRole(client, { owner: 'system', roleName: 'network_writer', wallets: [friend] })
 */
export async function revokeRole(client: Client, params: WalletsParams & SendOptions): Promise<TxHash> {
  return sendTransaction(client, 'revoke_roles', [walletArgs(params)], params)
}

/**
 * Tells of each wallet whether it has a role.
 *
 * @param params - `owner` is `system` or an address, `roleName` what follows the colon; `wallets` are
 * addresses, at least one.
 * @throws StreamNetError invalid_argument when the owner, the name or a wallet is malformed, or there is no
 * wallet.
 *
 * @example
 * const role = { owner: 'system', roleName: 'network_writer' }
 * const [{ isMember }] = await areMembersOf(client, { ...role, wallets: [friend] })
 */
export async function areMembersOf(
  client: Client,
  params: WalletsParams,
): Promise<readonly { readonly wallet: string; readonly isMember: boolean }[]> {
  return readRows(await callAction(client, 'are_members_of', walletArgs(params)), { wallet: 'text', is_member: 'bool' })
}

/**
 * Lists the members of a role, 100 when no limit is given, longest first.
 *
 * @param params - `owner` is `system` or an address, `roleName` what follows the colon; `limit` is 1 to
 * 10,000 rows.
 * @throws StreamNetError invalid_argument when the owner, the name or the page is out of its form.
 *
 * @example
 * const members = await listRoleMembers(client, { owner: 'system', roleName: 'network_writer' })
 */
export async function listRoleMembers(client: Client, params: RoleParams & Page): Promise<readonly RoleMember[]> {
  const page = checkPage(params, 100, 10_000)
  return readRows(await callAction(client, 'list_role_members', [...roleArgs(params), ...page]), memberShape)
}

/**
 * Lists the members of a role one by one, reading a page when the last is used up.
 *
 * @param params - as of `listRoleMembers`; `limit` is the rows of a page.
 * @throws StreamNetError as `listRoleMembers` does.
 *
 * @example
 * const role = { owner: 'system', roleName: 'network_writer' }
 * for await (const { wallet } of iterateRoleMembers(client, role)) console.log(wallet)
 */
export function iterateRoleMembers(client: Client, params: RoleParams & Page): AsyncIterable<RoleMember> {
  return iterateList(listRoleMembers, client, params, 100)
}

// The node compares in lower case.
function roleArgs({ owner, roleName }: RoleParams): [string, string] {
  const who = `${owner}`.toLowerCase()
  if (!roleName) throw invalidArgument('role_name is empty, expected a name')
  return [who === 'system' ? who : parseAddress(owner, 'owner'), `${roleName}`.toLowerCase()]
}

function walletArgs(params: WalletsParams): [string, string, string[]] {
  assertFilled(params.wallets, 'wallets')
  return [...roleArgs(params), params.wallets.map((wallet) => parseAddress(wallet, 'wallet'))]
}
