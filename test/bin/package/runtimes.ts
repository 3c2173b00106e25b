/** The packed client in other runtimes than Node. */

import { describe, expect, it, onTestFinished } from 'vitest'
import { startLoopbackServer } from '../../support/loopback-server.ts'
import { findProgram } from '../../support/process.ts'
import { type Packed, run } from './packed.ts'

/** Tests the client in each runtime that is there. */
export function testRuntimes(packed: Packed): void {
  /** Runtimes from the registry beside Node, which `.ci/run` installs, with what makes each run a module of a folder. */
  describe.each([
    ['bun', ['run']],
    ['deno', ['run', '--quiet', '--node-modules-dir=manual', '--allow-net=127.0.0.1']],
  ] as const)('the packed client in %s', (name, start) => {
    const program = findProgram(name)

    it.skipIf(program === null)(`signs, writes, reads and ends by a signal (skipped without ${name})`, async () => {
      const server = await startLoopbackServer()
      onTestFinished(() => server.close())
      server.node.answers.set('get_best_prices', {
        columns: { best_bid: 'int8', best_ask: 'int8', spread: 'int8' },
        rows: [[5n, 9n, 4n]],
      })
      await packed.write(
        'runtime.mjs',
        `import { NetClient } from 'sluice/streamnet'
         const client = new NetClient('${server.endpoint}', '${'11'.repeat(32)}')
         const records = [{ date: 1, value: '1.5' }]
         const hash = await client.insertRecords({ streamId: 'st${'0'.repeat(30)}', records })
         const { spread } = await client.getBestPrices({ queryId: 1, outcome: true })
         const aborted = await client.whoami({}, { signal: AbortSignal.abort() }).catch(({ code }) => code)
         console.log(JSON.stringify({ hash, spread, aborted }))`,
      )
      const { stdout } = await run(program ?? name, [...start, 'runtime.mjs'], { cwd: packed.folder })
      const { hash, ...rest } = JSON.parse(stdout)
      expect(server.node.included.get(hash)?.code).toBe(0)
      expect(rest).toEqual({ spread: 4, aborted: 'aborted' })
    })
  })
}
