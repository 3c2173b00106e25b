/** Roles: who owns them, which other role manages them, who holds them. */

import { joinKey, keysUnder, lastPart, parseTextPart, textPart } from '../keys.ts'
import type { LedgerStore } from '../ports.ts'

/** A role by its two names, both in lower case. */
export interface RoleName {
  /** `system`, or the address of a wallet. */
  readonly owner: string
  readonly role: string
}

/** A member of a role. */
export interface RoleMember {
  /** The address in lower case. */
  readonly wallet: string
  /** Height of the block that granted it. */
  readonly grantedAt: number
  /** The address that granted it. */
  readonly grantedBy: string
}

/** The role that lets its members create streams. */
export const networkWriter: RoleName = { owner: 'system', role: 'network_writer' }
/** The role whose members grant `networkWriter`. */
export const networkWritersManager: RoleName = { owner: 'system', role: 'network_writers_manager' }

const roles = 'role'
const members = 'role-member'

/** Creates a role, or changes its manager. */
export function putRole(store: LedgerStore, name: RoleName, manager: RoleName | undefined): void {
  const value = manager === undefined ? '' : joinKey(textPart(manager.owner), textPart(manager.role))
  store.put(joinKey(roles, ...parts(name)), value)
}

/** Finds a role, with the role that manages it where there is one. */
export function findRole(store: LedgerStore, name: RoleName): { readonly manager: RoleName | undefined } | undefined {
  const value = store.get(joinKey(roles, ...parts(name)))
  if (value === undefined) return undefined
  const [owner = '', role = ''] = value.split('/').map(parseTextPart)
  return { manager: value === '' ? undefined : { owner, role } }
}

/** Makes a wallet a member; one that is a member keeps the height it became one. */
export function addMember(store: LedgerStore, name: RoleName, member: RoleMember): void {
  const key = joinKey(members, ...parts(name), member.wallet)
  if (store.get(key) === undefined) store.put(key, `${member.grantedAt} ${member.grantedBy}`)
}

/** Ends a membership; does nothing when there is none. */
export function removeMember(store: LedgerStore, name: RoleName, wallet: string): void {
  store.delete(joinKey(members, ...parts(name), wallet))
}

/** Tells whether a wallet, in lower case, is a member. */
export function isMember(store: LedgerStore, name: RoleName, wallet: string): boolean {
  return store.get(joinKey(members, ...parts(name), wallet)) !== undefined
}

/** The members of a role by their addresses. */
export function* listMembers(store: LedgerStore, name: RoleName): Generator<RoleMember> {
  for (const [key, value] of store.list(keysUnder(members, ...parts(name)))) {
    const [grantedAt, grantedBy = ''] = value.split(' ')
    yield { wallet: lastPart(key), grantedAt: Number(grantedAt), grantedBy }
  }
}

function parts({ owner, role }: RoleName): [string, string] {
  return [textPart(owner), textPart(role)]
}
