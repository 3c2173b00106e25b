/** The catalogue's entries about roles. */

import { execute, list, page, required, table, view } from './entry.ts'

const role = [
  required('owner', 'string', 'system, or the wallet that manages the role.'),
  required('role_name', 'string', 'The name after the colon.'),
]
const wallets = required('wallets', list('address'), 'The wallets.')

/** Roles. */
export const roles = [
  execute('grant_role', [...role, wallets], 'Gives wallets a role.', { action: 'grant_roles' }),
  execute('revoke_role', [...role, wallets], 'Takes a role from wallets.', { action: 'revoke_roles' }),
  view(
    'are_members_of',
    [...role, wallets],
    table({ wallet: 'address', is_member: 'boolean' }),
    'Tells of each wallet whether it has a role.',
  ),
  view(
    'list_role_members',
    [...role, ...page(100, 10_000)],
    table({ wallet: 'address', granted_at: 'integer', granted_by: 'string' }),
    'Lists the members of a role; granted_at is a block height.',
  ),
]
