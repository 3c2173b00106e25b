import { expect, test } from 'vitest'
import * as face from '../../src/streamnet/index.ts'

test('the public face is this and nothing else', () => {
  expect(Object.keys(face).sort()).toEqual(
    `BulkInsertError BulkInserter LocalClient NetClient StreamNetError bulkDefaults createClient createNonceSource
    createSigner createWalletSigner dataType decodeMarketData decodeQueryComponents encodeActionArgs
    encodeQueryComponents generateStreamId hashQueryComponents isBulkDone isStreamId isStreamNetError nullValue
    numeric operations parseAddress parseAttestationPayload parseBulkOptions parseStreamId parseTxHash planChunks
    recoverPersonalMessage resumeBulk startBulk stepBulk toChecksumAddress uuid verifyAttestationSignature world`.split(
      /\s+/,
    ),
  )
})
