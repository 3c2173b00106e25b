/** The least that a transaction of the development node costs the platform: a call, a verification, and its rows. */

import { DurableObject } from 'cloudflare:workers'
import { encodeHex } from '#base/hex.ts'
import { countPart, joinKey } from '#devnode/keys.ts'
import { createKnownSigners } from '#devnode/known-signers.ts'
import { sqliteLedgerStore } from '#objects/streamnet/storage/node.ts'
import { addressOfPrivateKey } from '#streamnet/signing/digest.ts'
import { signDigestSync } from '#streamnet/signing/sync-signer.ts'

const key = new Uint8Array(32).fill(2)
const digest = new Uint8Array(32).fill(1)

/** Rows of a table as the node keeps them, or one row that holds all of a turn, as a log of a ledger in memory would. */
type Keeping = 'rows' | 'log'

interface Waiting {
  readonly text: string
  readonly keeping: Keeping
  resolve(answer: string): void
}

type Entry = readonly [key: string, value: string]

/**
 * Keeps the rows of an insertion of ten records as the node does, in turns as the node has them, and knows nothing of
 * actions, nonces, blocks or hashes.
 */
export class LedgerFloorObject extends DurableObject {
  readonly #signature = signDigestSync(digest, key)
  readonly #wallet = addressOfPrivateKey(key)
  readonly #signers = createKnownSigners()
  readonly #store = sqliteLedgerStore(this.ctx.storage)
  #waiting: Waiting[] = []
  #height = 0

  /** @param text - a signed request, which is read as JSON. @returns an answer of the node's shape and length. */
  append(text: string, keeping: Keeping): Promise<string> {
    return new Promise((resolve) => {
      if (this.#waiting.push({ text, keeping, resolve }) === 1) setTimeout(() => this.#turn(), 0)
    })
  }

  #turn(): void {
    const together = this.#waiting
    this.#waiting = []
    this.ctx.storage.transactionSync(() => {
      const entries = together.flatMap(({ text }) => this.#verify(text))
      entries.push(['head', String(this.#height)], ['tx-body-length', String(this.#height * 2000)])
      if (together[0]?.keeping === 'log') this.#store.put(`log/${countPart(this.#height)}`, JSON.stringify(entries))
      else for (const [name, value] of entries) this.#store.put(name, value)
    })
    const result = { tx_hash: encodeHex(digest) }
    for (const [at, { resolve }] of together.entries()) resolve(JSON.stringify({ jsonrpc: '2.0', id: at + 1, result }))
  }

  #verify(text: string): readonly Entry[] {
    const { params } = JSON.parse(text) as { readonly params: { readonly tx: { readonly sender: string } } }
    if (!this.#signers.isSignedBy(this.#wallet, digest, this.#signature)) {
      throw new Error('Cannot verify: the signature is not ours')
    }
    const height = ++this.#height
    // A hash is spread over the whole table, as a transaction's is.
    const hash = encodeHex(crypto.getRandomValues(new Uint8Array(32)))
    const record = (at: number): Entry => [
      joinKey('event', params.tx.sender, countPart(height * 10 + at), countPart(height)),
      '1500000000000000000',
    ]
    return [
      [joinKey('account', params.tx.sender), '[7]'],
      [joinKey('block-hash', hash), String(height)],
      [joinKey('block', countPart(height)), 'b'.repeat(406)],
      ...Array.from({ length: 10 }, (_, at) => record(at)),
      [joinKey('ledger-height', countPart(height), hash), ''],
      [joinKey('ledger', hash), 'l'.repeat(134)],
      [joinKey('tx-body', hash, countPart(0)), JSON.stringify(params.tx)],
      [joinKey('tx-result', hash), `{"height":${height},"code":0,"log":"","gas":0}`],
    ]
  }
}
