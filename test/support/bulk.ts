/** Records in bulk, and a client of a loopback node that inserts them. */

import { createClient } from '#streamnet/client.ts'
import { createSigner } from '#streamnet/signing/signer.ts'
import { createLoopbackNode } from './loopback-node.ts'

/** The signer of the client. */
export const bulkSigner = createSigner('11'.repeat(32))

/** The streams of `bulkBatches`. */
export const bulkStreams = [`st${'0'.repeat(30)}`, `st${'1'.repeat(30)}`] as const

/** Makes so many records of a stream. */
export function makeBatch(streamId: string, count: number) {
  return { streamId, inputs: Array.from({ length: count }, (_, date) => ({ date, value: `${date}.5` })) }
}

/** Four chunks of ten: 35 records of two streams. */
export const bulkBatches = [makeBatch(bulkStreams[0], 15), makeBatch(bulkStreams[1], 20)]

/** Connects a client to a loopback node. */
export function connectLoopback() {
  const node = createLoopbackNode()
  return { node, client: createClient({ endpoint: node.endpoint, platform: node.platform, signer: bulkSigner }) }
}
