import { describe, expect, test } from 'vitest'
import { keys, startTestNode } from '../../support/devnode.ts'

const { owner, stranger, operator } = keys
const writer = ['system', 'network_writer'] as const

describe('roles', () => {
  test('are granted and revoked by members of the managing role, any number of times', () => {
    const node = startTestNode()
    const refusal = node.execute(stranger, 'grant_roles', [...writer, [stranger.address]]).log
    expect(refusal).toContain(
      `Caller ${stranger.address} is not the owner or a member of the manager role for system:network_writer`,
    )
    for (let time = 0; time < 2; time++) node.must(owner, 'grant_roles', 'SYSTEM', 'Network_Writer', [stranger.address])
    expect(node.view('are_members_of', [...writer, [stranger.address, operator.address]])).toEqual([
      [stranger.address, true],
      [operator.address, false],
    ])
    expect(node.view('list_role_members', [...writer, null, null])).toEqual([
      [owner.address, 1n, 'system'],
      [stranger.address, 3n, owner.address],
    ])
    expect(node.view('list_role_members', [...writer, 1, 1])).toHaveLength(1)
    for (let time = 0; time < 2; time++) node.must(owner, 'revoke_roles', ...writer, [stranger.address])
    expect(node.view('are_members_of', [...writer, [stranger.address]])).toEqual([[stranger.address, false]])
  })

  test('owned by a wallet are managed by it, or by a role it names', () => {
    const node = startTestNode()
    const role = [stranger.address, 'friends'] as const
    node.rpc('dev.grantRole', { owner: role[0], role: role[1], wallet: owner.address })
    node.must(stranger, 'grant_roles', ...role, [operator.address])
    expect(node.execute(owner, 'revoke_roles', [...role, [operator.address]]).code).toBe(65535)
    expect(node.execute(owner, 'set_role_manager', [...role, 'system', 'network_writer']).log).toContain(
      'is not the owner of role',
    )
    expect(node.execute(stranger, 'set_role_manager', [...role, 'system', null]).log).toContain('both must be NULL')
    node.must(stranger, 'set_role_manager', ...role, ...writer)
    node.must(owner, 'revoke_roles', ...role, [operator.address])
    node.must(stranger, 'set_role_manager', ...role, null, null)
    expect(node.execute(owner, 'grant_roles', [...role, [operator.address]]).code).toBe(65535)
  })

  const refusals: readonly (readonly [owner: string, role: string, wallet: string, text: string])[] = [
    ['nobody', 'x', owner.address, 'Invalid owner address: nobody'],
    ['system', 'x', owner.address, 'Role does not exist: system:x'],
    ['system', 'network_writer', '0x12', 'Invalid wallet address at index 1'],
  ]
  for (const [name, role, wallet, text] of refusals) {
    test(`refuse with "${text}"`, () => {
      const node = startTestNode()
      expect(node.execute(owner, 'grant_roles', [name, role, [wallet]]).log).toContain(text)
      expect(() => node.view('are_members_of', [name, role, [wallet]])).toThrow(text)
    })
  }
})
