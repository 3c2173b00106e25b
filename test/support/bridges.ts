/** Wallets with tokens of a bridge, and reads of what they hold, moved and may claim. */

import { encodeBase64 } from '#base/base64.ts'
import { profiles } from '#devnode/profiles.ts'
import { createSigner } from '#streamnet/signing/signer.ts'
import { keys, namedRows, startTestNode, type TestNode } from './devnode.ts'

/** Seven wallets beside those of `keys`. */
export const wallets = Array.from({ length: 7 }, (_, index) => createSigner(`${index + 3}`.padStart(64, '0')))

/** Tokens of 18 digits in the smallest unit. */
export const wei = (tokens: number) => `${BigInt(Math.round(tokens * 100)) * 10n ** 16n}`

/** Starts a node on which the owner and each of the wallets have a hundred tokens. */
export function startFunded(profile = profiles.head, bridge = 'hoodi_tt2'): TestNode {
  const node = startTestNode({ profile })
  for (const { address } of [keys.owner, ...wallets]) {
    node.rpc('dev.setBalance', { bridge, wallet: address, amount: wei(100) })
  }
  node.rpc('dev.mine')
  return node
}

/** The balance of a wallet in the smallest unit. */
export function balanceOf(node: TestNode, wallet: string, bridge = 'hoodi_tt2'): unknown {
  return node.view(`${bridge}_wallet_balance`, [wallet])[0]?.[0]
}

/** The movements of a wallet, the newest first. */
export function historyOf(node: TestNode, wallet: string, bridge = 'hoodi_tt2') {
  return namedRows(node, `${bridge}_get_history`, [wallet, 20, 0])
}

/** The movements of a wallet in words, such as `withdrawal completed`. */
export function movementsOf(node: TestNode, wallet: string): readonly string[] {
  return historyOf(node, wallet).map(({ type, status }) => `${type} ${status}`)
}

/** The proofs of a wallet in the form of the client. */
export function proofsOf(node: TestNode, wallet: string, bridge = 'hoodi_tt2') {
  return namedRows(node, `${bridge}_get_withdrawal_proof`, [wallet]).map((row) => ({
    chain: String(row.chain),
    chainId: String(row.chain_id),
    contract: String(row.contract),
    blockHeight: Number(row.created_at),
    recipient: String(row.recipient),
    amount: String(row.amount),
    blockHash: encodeBase64(row.block_hash as Uint8Array),
    root: encodeBase64(row.root as Uint8Array),
    proofs: (row.proofs as readonly Uint8Array[]).map(encodeBase64),
    signatures: (row.signatures as readonly Uint8Array[]).map(encodeBase64),
  }))
}
