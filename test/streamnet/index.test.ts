import { expect, test } from 'vitest'
import * as face from '#streamnet/index.ts'

test('the public face is this and nothing else', () => {
  // Every operation by its name besides, but for those that need no client and are there without one.
  const own = Object.keys(face).filter((name) => !Object.hasOwn(face.operations, name) || named.has(name))
  expect(own.sort()).toEqual([...named])
  expect(Object.keys(face.operations).filter((name) => !Object.hasOwn(face, name))).toEqual([])
})

const named = new Set(
  `BulkInsertError BulkInserter LocalClient NetClient StreamNetError attest bindOperations bucketBoundsFromMarketData bulkDefaults createClient createNonceSource
    createSigner createWalletSigner dataType decodeMarketData decodeQueryComponents defaultPlatform
    deployComposedStream encodeActionArgs encodeQueryComponents findStreamByName forecastFromDepth generateStreamId hashQueryComponents isBinaryAction isBulkDone isStreamId isStreamNetError iteratePages listStreamNames nullValue
    numeric operations parseAddress parseAttestationPayload parseBulkOptions parseStreamId parseTxHash planChunks
    proveCall readEach recoverPersonalMessage resumeBulk setStreamName startBulk stepBulk toChecksumAddress uuid verifyAttestationSignature
    watchBlockEvents watchBlocks watchChanges watchMarket watchMarketEvents watchRecords withOptions`.split(/\s+/),
)
