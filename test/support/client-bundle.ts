/** Bundles of the stream network client as other people's tools make them: one file, minified. */

import { gzipSync } from 'node:zlib'
import { type BuildOptions, build } from 'esbuild'
import { projectRoot } from '#bin/project.ts'

/** Entries that people bundle: all of it, a client with every operation or with some, one node's own streams, or one operation. */
export const clientEntries = {
  everything: `export * from './src/streamnet/index.ts'`,
  netClient: `export { NetClient } from './src/streamnet/index.ts'`,
  oneInsert: `export { createClient } from './src/streamnet/client.ts'
export { createSigner } from './src/streamnet/signing/signer.ts'
export { insertRecords } from './src/streamnet/operations/records.ts'`,
  walletInsert: `export { createClient } from './src/streamnet/client.ts'
export { createWalletSigner } from './src/streamnet/signing/signer.ts'
export { insertRecords } from './src/streamnet/operations/records.ts'`,
  streamsClient: `import * as composition from './src/streamnet/operations/composition.ts'
import * as records from './src/streamnet/operations/records.ts'
import * as lists from './src/streamnet/operations/stream-list.ts'
import * as streams from './src/streamnet/operations/streams.ts'
import * as visibility from './src/streamnet/operations/visibility.ts'
import { bindOperations, createClient, createSigner, proveCall } from './src/streamnet/index.ts'
export const connect = (endpoint, key) =>
  bindOperations(createClient({ endpoint, signer: createSigner(key), proveCall }), {
    ...streams, ...lists, ...records, ...composition, ...visibility,
  })`,
  localClient: `export { LocalClient } from './src/streamnet/index.ts'`,
  oneRead: `import { createClient, getIndex } from './src/streamnet/index.ts'
export const read = (params) => getIndex(createClient({ endpoint: 'http://node.test' }), params)`,
} as const

/** A bundle, its inputs and its size. */
export interface ClientBundle {
  readonly text: string
  readonly inputs: readonly string[]
  /** Minified bytes of each input that are left in the bundle. */
  readonly bytesByInput: Readonly<Record<string, number>>
  readonly minifiedBytes: number
  readonly gzippedBytes: number
}

/** Bundles source text that imports from the project's root. */
export async function bundleClient(contents: string, options: BuildOptions = {}): Promise<ClientBundle> {
  const result = await build({
    stdin: { contents, resolveDir: projectRoot, loader: 'ts' },
    absWorkingDir: projectRoot,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    legalComments: 'none',
    metafile: true,
    write: false,
    logLevel: 'error',
    ...options,
  })
  const text = result.outputFiles?.[0]?.text ?? ''
  const bytes = Buffer.from(text)
  const parts = Object.values(result.metafile?.outputs ?? {}).flatMap(({ inputs }) => Object.entries(inputs))
  return {
    text,
    inputs: Object.keys(result.metafile?.inputs ?? {}),
    bytesByInput: Object.fromEntries(parts.map(([path, { bytesInOutput }]) => [path, bytesInOutput])),
    minifiedBytes: bytes.length,
    gzippedBytes: gzipSync(bytes, { level: 9 }).length,
  }
}
