import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { projectRoot } from '../../bin/project.ts'
import manifest from '../../package.json' with { type: 'json' }
import * as face from '../../src/streamnet/index.ts'

const run = promisify(execFile)

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

test('the package has it as ES modules with types, whose only imports from outside are noble', async () => {
  const outside = await mkdtemp(join(tmpdir(), 'streamnet-client-'))
  try {
    const client = join(outside, '.build/client')
    const tsc = join(projectRoot, 'node_modules/.bin/tsc')
    await run(tsc, ['-p', join(projectRoot, 'bin/client.tsconfig.json'), '--outDir', client])
    // The package as another project has it installed: its manifest, what was built, and noble.
    await writeFile(
      join(outside, 'package.json'),
      JSON.stringify({ name: manifest.name, type: 'module', exports: manifest.exports }),
    )
    await symlink(join(projectRoot, 'node_modules'), join(outside, 'node_modules'))
    const use = `import { NetClient, generateStreamId } from 'sluice/streamnet'
      import { findOperation } from 'sluice/streamnet/catalogue'
      import { insertRecords } from 'sluice/streamnet/operations/records'
      const kinds: string = [typeof NetClient, typeof insertRecords, generateStreamId('p1'), findOperation('transfer')?.kind].join(' ')
      console.log(kinds)`
    await writeFile(join(outside, 'use.ts'), use)
    await run(
      tsc,
      [
        '--ignoreConfig',
        '--strict',
        '--module',
        'nodenext',
        '--target',
        'es2022',
        '--lib',
        'es2023,dom',
        '--types',
        '',
        'use.ts',
      ],
      { cwd: outside },
    )
    const { stdout } = await run(process.execPath, ['use.js'], { cwd: outside })
    expect(stdout.trim()).toBe('function function stf64551fcd6f07823cb87971cfb9144 execute')
  } finally {
    await rm(outside, { recursive: true })
  }
}, 60_000)
