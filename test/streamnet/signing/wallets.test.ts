/** Wallets of viem and wagmi as signers: reads and writes against a node that recovers who signed. */

import { connect, createConfig, getWalletClient, mock } from '@wagmi/core'
import { createWalletClient, custom, type Hex } from 'viem'
import { mnemonicToAccount, privateKeyToAccount } from 'viem/accounts'
import { mainnet } from 'viem/chains'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { isStreamNetError } from '#streamnet/errors.ts'
import { NetClient } from '#streamnet/index.ts'
import { createWalletSigner, type Signer } from '#streamnet/signing/signer.ts'
import { createLoopbackNode } from '../../support/loopback-node.ts'

const account = privateKeyToAccount(`0x${'11'.repeat(32)}`)
const streamId = `st${'0'.repeat(30)}`
const records = [{ date: 1, value: '1.5' }]

/** A provider (EIP-1193) over an account, as an extension of a browser is one. */
const provider = {
  async request({ method, params }: { method: string; params?: unknown }): Promise<unknown> {
    if (method === 'eth_requestAccounts' || method === 'eth_accounts') return [account.address]
    // The parameters of `personal_sign`: bytes as hex, then the account.
    const [raw, address] = params as readonly [Hex, string]
    expect(address.toLowerCase()).toBe(account.address.toLowerCase())
    return account.signMessage({ message: { raw } })
  },
}
const transport = custom(provider)

/** The client of a config of wagmi whose connector is connected. */
async function connectWagmi() {
  const config = createConfig({
    chains: [mainnet],
    connectors: [mock({ accounts: [account.address] })],
    transports: { [mainnet.id]: transport },
    storage: null,
  })
  const [connector] = config.connectors
  if (connector !== undefined) await connect(config, { connector })
  return getWalletClient(config)
}

beforeAll(() => {
  // The mock connector lets a node sign, which has the account first.
  vi.stubGlobal('fetch', async (_url: string, { body }: { body: string }) => {
    const { id, method, params } = JSON.parse(body)
    expect(method).toBe('eth_sign')
    const result = await provider.request({ method, params: params.toReversed() })
    return Response.json({ jsonrpc: '2.0', id, result })
  })
})

afterAll(() => {
  vi.unstubAllGlobals()
})

const signers: readonly [string, () => Promise<Signer> | Signer][] = [
  ['an account of a key', () => createWalletSigner(account)],
  [
    'an account of a mnemonic',
    () => createWalletSigner(mnemonicToAccount('test test test test test test test test test test test junk')),
  ],
  [
    'a client whose account is local',
    () => createWalletSigner(createWalletClient({ account, chain: mainnet, transport })),
  ],
  [
    'a client whose account is of a browser',
    () => createWalletSigner(createWalletClient({ account: account.address, transport })),
  ],
  ["a connected wallet of wagmi's getWalletClient()", async () => createWalletSigner(await connectWagmi())],
  [
    'a client as a provider, with the account that it names',
    async () => {
      const client = createWalletClient({ transport })
      const [address = ''] = await client.requestAddresses()
      return createWalletSigner(client, address)
    },
  ],
  ['a provider', () => createWalletSigner(provider, account.address)],
]

describe.each(signers)('%s', (_, make) => {
  test('writes, and proves who reads to a private node and to a gateway', async () => {
    const signer = await make()
    for (const kind of [{ isPrivate: true }, { isGateway: true }, {}]) {
      const node = createLoopbackNode(kind)
      const client = new NetClient(node.endpoint, signer, { platform: node.platform })
      await client.getRecords({ streamId })
      expect(node.called.map(({ sender }) => sender)).toEqual([signer.address.slice(2)])
      if (kind.isGateway) continue
      const hash = await client.insertRecords({ streamId, records })
      expect(node.included.get(hash)?.transaction.sender).toBe(signer.address)
    }
  })
})

test('a refusal of the owner is thrown as the wallet says it, and nothing was sent', async () => {
  const node = createLoopbackNode()
  const refusing = createWalletClient({
    account: account.address,
    transport: custom({
      request: () => Promise.reject(Object.assign(new Error('User rejected the request.'), { code: 4001 })),
    }),
  })
  const client = new NetClient(node.endpoint, createWalletSigner(refusing), { platform: node.platform })
  const refusal = await client.insertRecords({ streamId, records }).catch((error: unknown) => error)
  expect(String(refusal)).toContain('User rejected the request.')
  expect(isStreamNetError(refusal)).toBe(false)
  expect(node.methodsOf()).not.toContain('user.broadcast')
})

test('a wallet without an account is refused with what is missing', () => {
  // Types refuse both; a program without types meets the messages.
  const loose = createWalletSigner as (wallet: unknown) => Signer
  expect(() => loose(createWalletClient({ transport }))).toThrow('expected 0x and 40 hex digits')
  expect(() => loose(provider)).toThrow('expected the address of one beside it')
})
