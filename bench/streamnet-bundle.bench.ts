/** Size of the stream network client in an application's bundle, with its curve and the network's own library beside it. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '#bin/project.ts'
import { bundleClient, clientEntries } from '#test/support/client-bundle.ts'
import { printTable } from './report.ts'

const noble = `import { keccak_256 } from '@noble/hashes/sha3.js'
import { sha256 } from '@noble/hashes/webcrypto.js'
import { getPublicKey, signAsync } from '@noble/secp256k1'
export { getPublicKey, keccak_256, sha256, signAsync }`

const entries: [string, string][] = [
  ['only noble: curve and hashes', noble],
  ['one read: createClient, getIndex', clientEntries.oneRead],
  ['LocalClient', clientEntries.localClient],
  ['one operation: createClient, createSigner, insertRecords', clientEntries.oneInsert],
  ['NetClient with every operation', clientEntries.netClient],
  ['one operation with a wallet: createClient, createWalletSigner, insertRecords', clientEntries.walletInsert],
  ['bindOperations: streams, records, composition, visibility', clientEntries.streamsClient],
  ['everything, with LocalClient and BulkInserter', clientEntries.everything],
]

/** The parts of a bundle by where they come from. */
const parts: [string, RegExp][] = [
  ['noble: curve and hashes', /@noble/],
  ['operations', /streamnet\/(operations|net-client)/],
  ['books and forecasts', /streamnet\/(forecast|consolidated-book)/],
  [
    'values, payloads, transactions, attestations',
    /streamnet\/(codec|attestation|market-(data|question)|record-args|taxonomy)/,
  ],
  ['JSON-RPC and its errors', /streamnet\/(rpc|client|errors|platform)/],
  ['signing, sending, waiting', /streamnet\/(signing|transaction|ids)/],
  ['hex, base64, UTF-8, decimals', /src\/base/],
]

const rows: string[][] = []
const partsOf: Readonly<Record<string, number>>[] = []
const kB = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`
for (const [name, contents] of entries) {
  const { minifiedBytes, gzippedBytes, bytesByInput } = await bundleClient(contents)
  partsOf.push(bytesByInput)
  rows.push([name, kB(minifiedBytes), kB(gzippedBytes)])
}

// Bundled for a browser, as its users do; it does not load in a Worker.
if (existsSync(join(projectRoot, 'node_modules/@kwilteam/kwil-js'))) {
  const { minifiedBytes, gzippedBytes } = await bundleClient(`export * from '@kwilteam/kwil-js'`, {
    platform: 'browser',
    mainFields: ['browser', 'module', 'main'],
    external: [
      'node:*',
      'crypto',
      'http',
      'https',
      'stream',
      'util',
      'zlib',
      'url',
      'assert',
      'buffer',
      'events',
      'tty',
      'os',
      'fs',
      'path',
      'net',
      'tls',
    ],
  })
  rows.push(['@kwilteam/kwil-js, only transport', kB(minifiedBytes), kB(gzippedBytes)])
}
printTable(['', 'minified', 'gzipped'], rows)

const [, oneRead = {}, , oneOperation = {}, netClient = {}] = partsOf
const sizeOf = (bytes: Readonly<Record<string, number>>, pattern: RegExp) =>
  kB(Object.entries(bytes).reduce((sum, [path, count]) => (pattern.test(path) ? sum + count : sum), 0))
printTable(
  ['minified, by part', 'one read', 'one operation', 'NetClient'],
  parts.map(([name, pattern]) => [name, ...[oneRead, oneOperation, netClient].map((bytes) => sizeOf(bytes, pattern))]),
)
