/** Tokens of the gateway: each opens what its scopes name, and no composed stream shows what it may not read. */

import { beforeAll, describe, expect, it } from 'vitest'
import { catalogue } from '#streamnet/catalogue.ts'
import { generateStreamId } from '#streamnet/index.ts'
import { gatewayAddress, startGateway } from '../../support/gateway-bundle.ts'
import { host } from '../../support/host.ts'

const id = (name: string): string => generateStreamId(`gateway tokens ${name}`)
const mine = id('mine')
const other = id('other')
const scope = (verb: 'read' | 'write', name: string) => `${verb}:${gatewayAddress}/${id(name)}`

/** The scopes of each token. */
const scopes = {
  reader: ['read'],
  writer: ['write'],
  one: [scope('read', 'mine'), scope('write', 'mine')],
  roles: ['read:system', 'write:system'],
  index: [scope('read', 'composed'), scope('write', 'composed'), scope('read', 'open')],
  whole: [`${scope('read', 'composed')}/composed`],
  publisher: [
    scope('write', 'outer'),
    `${scope('read', 'outer')}/composed`,
    scope('read', 'inner'),
    scope('read', 'shown'),
  ],
} as const
const tokenOf = (name: string) => `token-of-the-${name}-0123456789`
const entries = Object.entries(scopes).map(([name, own]) => ({ name, token: tokenOf(name), scopes: own }))

const gateway = host(() => startGateway({ vars: { STREAMNET_TOKENS: JSON.stringify(entries) } }))

/** Deploys streams by their names, the first so many of them composed. */
function deploy(names: readonly string[], composed = 0): Promise<unknown> {
  const definitions = names.map((name, at) => ({
    stream_id: id(name),
    stream_type: at < composed ? 'composed' : 'primitive',
  }))
  return gateway.run('batch_deploy_streams', { definitions })
}

/** Asks for the one child of a composed stream. */
function compose(parent: string, child: string, token: string) {
  return gateway.call('/set_taxonomy', { stream_id: id(parent), child_streams: { [id(child)]: 1 } }, { token })
}

beforeAll(() => deploy(['mine', 'other']))

describe('a token', () => {
  it('that is missing or unknown is answered 401 on every path', async () => {
    for (const token of [null, 'wrong-token-0123456789', '']) {
      for (const path of ['/get_records', '/no_such_operation', '/jobs', '/streams/a/b/events', '/a/b/c']) {
        const { status, headers, body } = await gateway.call(path, undefined, { token })
        expect([path, status, body.code]).toEqual([path, 401, 'unauthorized'])
        expect(headers.get('www-authenticate')).toMatch(/^Bearer/)
      }
    }
  })

  const record = { date: 1, value: 1 }
  const inputs = [{ date: 1, value: 1 }]
  const elsewhere = `0x${'ab'.repeat(20)}`

  it.each<[keyof typeof scopes, string, object, number]>([
    ['reader', '/get_type', { stream_id: mine }, 200],
    ['reader', '/insert_record', { stream_id: mine, record }, 403],
    ['writer', '/get_type', { stream_id: mine }, 403],
    ['one', '/get_type', { stream_id: mine }, 200],
    ['one', '/get_type', { stream_id: mine, data_provider: gatewayAddress.slice(2) }, 200],
    ['one', '/get_type', { stream_id: other }, 403],
    ['one', '/get_type', { stream_id: mine, data_provider: elsewhere }, 403],
    ['one', '/list_streams', {}, 403],
    ['one', '/call_procedure', { procedure: 'list_streams' }, 403],
    ['one', '/execute_procedure', { procedure: 'create_stream', args: [[]] }, 403],
    ['one', '/insert_record', { stream_id: mine, record }, 200],
    ['one', '/insert_records', { stream_id: other, records: [record] }, 403],
    ['one', '/batch_insert_records', { batches: [mine, other].map((stream_id) => ({ stream_id, inputs: [] })) }, 403],
    ['one', '/insert_all', { batches: [{ stream_id: other, inputs }] }, 403],
    ['one', '/transfer', { bridge_identifier: 'eth_main', recipient: gatewayAddress, amount: '1' }, 403],
    ['roles', '/list_role_members', { owner: 'system', role_name: 'network_writer' }, 200],
    ['roles', '/grant_role', { owner: gatewayAddress, role_name: 'r', wallets: [gatewayAddress] }, 403],
  ])('of the scopes of %s opens %s with %j by status %i', async (name, path, body, status) => {
    const answer = await gateway.call(path, body, { token: tokenOf(name) })
    expect(answer.status).toBe(status)
    if (status !== 403) return
    expect(answer.body).toMatchObject({ code: 'forbidden', detail: expect.stringContaining('scope') })
  })

  it('does not get a GET that another token has warmed', async () => {
    const path = `/get_records?stream_id=${other}&frozen_at=1`
    await gateway.call(path)
    expect((await gateway.call(path)).headers.get('x-cache')).toBe('hit')
    expect((await gateway.call(path, undefined, { token: tokenOf('one') })).status).toBe(403)
  })
})

describe('a composed stream', () => {
  const token = tokenOf('index')
  const reads = ['get_records', 'get_index', 'get_index_change', 'get_first_record'].map((name) => {
    const query = `stream_id=${id('composed')}&base_date=10&time_interval=1&date_from=1`.split('&')
    const known = catalogue.find((entry) => entry.name === name)?.parameters.map((one) => one.name) ?? []
    return `/${name}?${query.filter((pair) => known.includes(pair.split('=')[0] ?? '')).join('&')}`
  })

  beforeAll(async () => {
    await deploy(['composed', 'open', 'secret'], 1)
    for (const name of ['open', 'secret']) {
      await gateway.run('insert_record', { stream_id: id(name), record: { date: 10, value: 42 } })
    }
    await gateway.run('set_read_visibility', { stream_id: id('secret'), visibility: 'private' })
  })

  it('is read by a token that may read its child', async () => {
    expect((await compose('composed', 'open', token)).status).toBe(200)
    for (const path of reads) expect((await gateway.call(path, undefined, { token })).status).toBe(200)
  })

  it('takes no child that the token may not read', async () => {
    const { status, body } = await compose('composed', 'secret', token)
    expect([status, body.code]).toEqual([403, 'forbidden'])
    expect(body.detail).toContain(scope('read', 'secret'))
  })

  it('takes no composed child that is computed from what the token may not read', async () => {
    await deploy(['outer', 'inner', 'hidden', 'shown'], 2)
    await gateway.run('insert_record', { stream_id: id('hidden'), record: { date: 10, value: 42 } })
    await gateway.run('set_taxonomy', { stream_id: id('inner'), child_streams: { [id('hidden')]: 1 } })
    const publisher = tokenOf('publisher')
    const { status, body } = await compose('outer', 'inner', publisher)
    expect([status, body.code]).toEqual([403, 'forbidden'])
    expect(body.detail).toContain(scope('read', 'hidden'))
    expect((await compose('outer', 'shown', publisher)).status).toBe(200)
  })

  describe('whose owner has set a private child', () => {
    beforeAll(() => gateway.run('set_taxonomy', { stream_id: id('composed'), child_streams: { [id('secret')]: 1 } }))

    it.each([...reads, `/streams/${gatewayAddress}/${id('composed')}/events`])(
      'is not read by a token for the parent: GET %s',
      async (path) => {
        const { status, body } = await gateway.call(path, undefined, { token })
        expect([status, body.code]).toEqual([403, 'forbidden'])
        expect(body.hint).toContain(`${scope('read', 'composed')}/composed`)
      },
    )

    it('is not read by a token for the parent: POST', async () => {
      expect((await gateway.call('/get_records', { stream_id: id('composed') }, { token })).status).toBe(403)
    })

    it('is read by a token whose scope covers what it is composed of', async () => {
      const path = `/get_records?stream_id=${id('composed')}&date_from=1`
      const { body } = await gateway.call(path, undefined, { token: tokenOf('whole') })
      expect(body.result).toEqual([{ date: 10, value: '42.000000000000000000' }])
    })
  })
})
