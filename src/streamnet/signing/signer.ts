/** Signers: a private key held here, a wallet that asks its owner, or a key kept elsewhere. */

import { decodeHex, encodeHex } from '../../base/hex.ts'
import { encodeUtf8 } from '../../base/utf8.ts'
import { invalidArgument, malformedBytes } from '../errors.ts'
import { hexDigits, parseAddress } from '../ids.ts'
import type { Address } from '../types.ts'
import { addressOfPrivateKey, digestPersonalMessage, signDigest } from './digest.ts'

/** Signs personal messages (EIP-191) for one address. All that transactions, calls and sign-ins need. */
export interface Signer {
  readonly address: Address
  /** @returns 65 bytes R, S, V; V is 0 or 1, or 27 or 28. */
  signMessage(message: string): Uint8Array | Promise<Uint8Array>
}

/** A signer that also signs bare digests, which requests to a local node need and wallets refuse. */
export interface DigestSigner extends Signer {
  /** @returns 65 bytes R, S, V with V 0 or 1. */
  signDigest(digest: Uint8Array): Uint8Array | Promise<Uint8Array>
}

/**
 * Makes a signer from a private key. The key stays inside: no property, error or text form of the signer
 * shows it.
 *
 * @param privateKey - 64 hex digits, with or without `0x`.
 * @throws StreamNetError invalid_argument when it is not a key of the curve; the message never repeats it.
 *
 * @example
 * const signer = createSigner('11'.repeat(32))
 */
export function createSigner(privateKey: string): DigestSigner {
  const key = parsePrivateKey(privateKey)
  return {
    address: addressOfKey(key),
    signMessage: (message) => signDigest(digestPersonalMessage(message), key),
    signDigest: (digest) => signDigest(digest, key),
  }
}

/** The interface of a browser wallet (EIP-1193), as far as a signer asks it. */
export interface WalletProvider {
  request(request: { method: 'personal_sign'; params: [data: `0x${string}`, address: `0x${string}`] }): Promise<unknown>
}

/** An account that signs by itself, as viem makes them from a key or a mnemonic. */
export interface WalletAccount {
  readonly address: string
  signMessage(request: { readonly message: string }): Promise<string>
}

/** A client of viem or wagmi with the account that it signs for. */
export interface WalletClient {
  readonly account: { readonly address: string }
  signMessage(request: { readonly message: string }): Promise<string>
}

/**
 * Makes a signer that asks a wallet. What the wallet throws, such as its owner's refusal, is thrown as it is; nothing
 * was sent then.
 *
 * @param wallet - an account or a client of viem or wagmi, or a provider (EIP-1193), such as `window.ethereum`.
 * @param address - the account of a provider, as `eth_requestAccounts` answers it.
 * @throws StreamNetError invalid_argument when the address is malformed, or missing for a provider.
 *
 * @example
 * const wallet = { request: async () => `0x${'00'.repeat(65)}` }
 * const signer = createWalletSigner(wallet, provider)
 */
export function createWalletSigner(wallet: WalletProvider, address: string): Signer
export function createWalletSigner(wallet: WalletAccount | WalletClient): Signer
export function createWalletSigner(wallet: WalletProvider | WalletAccount | WalletClient, address?: string): Signer {
  if (address !== undefined && 'request' in wallet) {
    const account = parseAddress(address)
    return askingSigner(account, (message) =>
      wallet.request({
        method: 'personal_sign',
        // An address begins with 0x.
        params: [`0x${encodeHex(encodeUtf8(message))}`, account as `0x${string}`],
      }),
    )
  }
  if (!('signMessage' in wallet)) {
    throw invalidArgument('Cannot use wallet: a provider has many accounts, expected the address of one beside it')
  }
  const account = 'account' in wallet ? wallet.account : wallet
  // A client of viem may have no account.
  return askingSigner(parseAddress(account?.address), (message) => wallet.signMessage({ message }))
}

function askingSigner(address: Address, ask: (message: string) => Promise<unknown>): Signer {
  return {
    address,
    async signMessage(message) {
      const signature = await ask(message)
      if (typeof signature !== 'string' || !/^0x[0-9a-fA-F]{130}$/.test(signature)) {
        throw malformedBytes('Cannot sign: the wallet did not answer 65 bytes of hex')
      }
      return decodeHex(signature.slice(2))
    },
  }
}

function parsePrivateKey(privateKey: string): Uint8Array {
  const digits = hexDigits(privateKey, 64)
  if (digits === undefined) throw invalidKey()
  return decodeHex(digits)
}

function addressOfKey(key: Uint8Array): Address {
  try {
    return addressOfPrivateKey(key)
  } catch {
    // Zero, or not below the order of the curve. The cause is left out: it may quote the key.
    throw invalidKey()
  }
}

function invalidKey() {
  return invalidArgument('Cannot use private key: expected 64 hex digits of a secp256k1 key')
}
