/** Actions on roles: grant, revoke, ask, and say which role manages which. */

import { actionError, requireColumn } from '../errors.ts'
import {
  addMember,
  findRole,
  isMember,
  listMembers,
  networkWriter,
  putRole,
  type RoleName,
  removeMember,
} from '../state/roles.ts'
import { addProvider } from '../state/streams.ts'
import { type Action, type ActionContext, type ArgumentsOf, change, table, view } from './action.ts'
import { isAddress, slicePage, usualPage } from './checks.ts'
import type { ValueOf } from './types.ts'

const names = { owner: 'TEXT', role_name: 'TEXT' } as const
const membership = { ...names, wallets: 'TEXT[]' } as const

/** The network's actions on roles. */
export const roleActions: readonly Action[] = [
  change('grant_roles', membership, (context, args) => {
    const { role, members } = requireManaged(context, args)
    const isWriterRole = role.owner === networkWriter.owner && role.role === networkWriter.role
    for (const wallet of members) {
      const address = requireColumn(wallet, 'wallet', 'role_members')
      const grant = { grantedAt: context.height, grantedBy: context.caller.toLowerCase() }
      addMember(context.store, role, { wallet: address, ...grant })
      if (isWriterRole) addProvider(context.store, address, context.height)
    }
  }),
  change('revoke_roles', membership, (context, args) => {
    const { role, members } = requireManaged(context, args)
    for (const wallet of members) if (wallet !== null) removeMember(context.store, role, wallet)
  }),
  change(
    'set_role_manager',
    { ...names, manager_owner: 'TEXT', manager_role_name: 'TEXT' },
    (context, { owner, role_name, manager_owner, manager_role_name }) => {
      const role = parseRole(owner, role_name)
      requireRole(context, role)
      const caller = context.caller.toLowerCase()
      if (caller !== role.owner) {
        throw actionError(`Caller ${caller} is not the owner of role ${role.owner}:${role.role}`)
      }
      if ((manager_owner === null) !== (manager_role_name === null)) {
        throw actionError(
          'To set a manager role, both manager_owner and manager_role_name must be provided. To remove a manager, both must be NULL.',
        )
      }
      const manager = manager_owner === null ? undefined : parseRole(manager_owner, manager_role_name)
      putRole(context.store, role, manager)
    },
  ),
  view(
    'are_members_of',
    membership,
    table({ wallet: 'TEXT', is_member: 'BOOL' }),
    (context, { owner, role_name, wallets }) => {
      const role = parseRole(owner, role_name)
      // A list of null is read as a list of one null.
      const asked = wallets === null ? [null] : sanitizeWallets(wallets)
      requireRole(context, role)
      return asked.map((wallet) => [wallet, wallet !== null && isMember(context.store, role, wallet)])
    },
  ),
  view(
    'list_role_members',
    { ...names, limit: 'INT', offset: 'INT' },
    table({ wallet: 'TEXT', granted_at: 'INT8', granted_by: 'TEXT' }),
    (context, { owner, role_name, ...rows }) => {
      const role = parseRole(owner, role_name)
      requireRole(context, role)
      const members = [...listMembers(context.store, role)]
      context.budget.spend(members.length)
      members.sort((left, right) => left.grantedAt - right.grantedAt)
      const page = slicePage(members, ...usualPage(rows, 100n))
      return page.map(({ wallet, grantedAt, grantedBy }) => [wallet, BigInt(grantedAt), grantedBy])
    },
  ),
]

/** A role by the two names that a caller gave; no role has a name of null. */
function parseRole(owner: string | null, role: string | null): RoleName {
  const name = { owner: owner?.toLowerCase() ?? nameless, role: role?.toLowerCase() ?? nameless }
  if (name.owner !== 'system' && name.owner !== nameless && !isAddress(name.owner))
    throw actionError(`Invalid owner address: ${name.owner}`)
  return name
}

/** The name that null is read as: no role has it, because names are in lower case. */
const nameless = 'NULL'

/** Wallets in lower case; null passes the check, as a comparison with null does on the network. */
function sanitizeWallets(wallets: ValueOf<'TEXT[]'>): readonly (string | null)[] {
  return (wallets ?? []).map((wallet, index) => {
    if (wallet === null || isAddress(wallet)) return wallet?.toLowerCase() ?? null
    throw actionError(`Invalid wallet address at index ${index + 1}`)
  })
}

function requireRole({ store }: ActionContext, name: RoleName): { readonly manager: RoleName | undefined } {
  // Text that is put together with null is null on the network.
  if (name.owner === nameless || name.role === nameless) throw actionError('')
  const role = findRole(store, name)
  if (role === undefined) throw actionError(`Role does not exist: ${name.owner}:${name.role}`)
  return role
}

/** Reads a role and wallets for a caller who may manage it: its owner, or a member of the role that manages it. */
function requireManaged(context: ActionContext, { owner, role_name, wallets }: ArgumentsOf<typeof membership>) {
  const name = parseRole(owner, role_name)
  const members = sanitizeWallets(wallets)
  const { manager } = requireRole(context, name)
  const caller = context.caller.toLowerCase()
  const isManager = manager !== undefined && isMember(context.store, manager, caller)
  if (caller === name.owner || isManager) return { role: name, members }
  throw actionError(`Caller ${caller} is not the owner or a member of the manager role for ${name.owner}:${name.role}`)
}
