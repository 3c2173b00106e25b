/** Cost of encoding and signing a transaction, with bare noble signing of a ready digest beside it. */

import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { hashes, sign } from '@noble/secp256k1'
import { encodeActionExecution } from '#streamnet/codec/payload.ts'
import { hashTransaction } from '#streamnet/codec/transaction.ts'
import { toTypedValue } from '#streamnet/codec/value.ts'
import { recordArgs } from '#streamnet/record-args.ts'
import { transactionToJson } from '#streamnet/rpc/transaction-json.ts'
import { digestPersonalMessage, recoverPersonalMessage } from '#streamnet/signing/digest.ts'
import { createSigner, type Signer } from '#streamnet/signing/signer.ts'
import { createSyncSigner, transactionMessageSync } from '#streamnet/signing/sync-signer.ts'
import { signTransaction } from '#streamnet/transaction/sign.ts'
import type { SignedTransaction, UnsignedTransaction } from '#streamnet/types.ts'
import { interleave, middle, printTable, ratioText, type Sample } from './report.ts'

const key = '11'.repeat(32)
const signer = createSyncSigner(key)
const webCryptoSigner = createSigner(key)
const keyBytes = new Uint8Array(32).fill(0x11)
const streamId = `st${'0'.repeat(30)}`

hashes.sha256 = sha256
hashes.hmacSha256 = (secret, message) => hmac(sha256, secret, message)

const records = (count: number) => [
  { streamId, inputs: Array.from({ length: count }, (_, date) => ({ date, value: `${date}.25` })) },
]

function encode(count: number, nonce: number): UnsignedTransaction {
  const args = recordArgs(signer.address, records(count)).map(toTypedValue)
  const payload = encodeActionExecution({ namespace: '', action: 'insert_records', calls: [args] })
  const unsigned = { description: '', payload, payloadType: 'execute', fee: 0n, nonce, chainId: 'bench' }
  return { ...unsigned, sender: signer.address }
}

function encodeAndSign(count: number, nonce: number, by: Signer = signer): Promise<SignedTransaction> {
  return signTransaction(encode(count, nonce), by)
}

async function encodeWhole(count: number, nonce: number): Promise<string> {
  const signed = await encodeAndSign(count, nonce)
  return (await hashTransaction(signed)) + JSON.stringify(transactionToJson(signed))
}

/** Runs for a moment and counts: many short rounds, so that a slow moment hits all measurements alike. */
async function measure(run: (turn: number) => unknown): Promise<Sample> {
  const start = performance.now()
  let turns = 0
  while (performance.now() - start < 40) await run(turns++)
  const perSecond = (turns / (performance.now() - start)) * 1000
  return { perSecond, micros: 1e6 / perSecond }
}

const digest = new Uint8Array(32)
const bare = (turn: number) => {
  digest[turn % 32] = turn
  return sign(digest, keyBytes, { prehash: false, format: 'recovered' })
}
const ten = encode(10, 1)
const message = transactionMessageSync(ten)
const signature = signer.signMessage(message)

const base = 'only noble: sign a digest'
const measurements = new Map<string, () => Promise<Sample>>([
  [base, () => measure(bare)],
  ['one record: encode, sign', () => measure((turn) => encodeAndSign(1, turn))],
  ['ten records: encode, sign', () => measure((turn) => encodeAndSign(10, turn))],
  ['ten records: encode, sign with createSigner', () => measure((turn) => encodeAndSign(10, turn, webCryptoSigner))],
  ['ten records: encode, sign, hash, JSON', () => measure((turn) => encodeWhole(10, turn))],
  ['ten records: only encode', () => measure((turn) => encode(10, turn))],
  ['ten records: only both hashes', () => measure(() => digestPersonalMessage(transactionMessageSync(ten)))],
  ['recover the signer', () => measure(() => recoverPersonalMessage(message, signature))],
])
for (const warm of measurements.values()) await warm()
const samples = await interleave(51, measurements)

printTable(
  ['', 'a second', 'microseconds', 'of bare signing'],
  [...measurements.keys()].map((name) => [
    name,
    middle(samples, name, 'perSecond').toFixed(0),
    middle(samples, name, 'micros').toFixed(0),
    ratioText(samples, name, base, 'perSecond'),
  ]),
)
