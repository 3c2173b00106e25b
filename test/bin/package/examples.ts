/** The projects of examples/packages with the packed library. */

import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { NetClient } from '#streamnet/index.ts'
import { startBundle } from '../../support/bundle.ts'
import { foreignPackages, installExample } from '../../support/packed-examples.ts'
import { freePort, startProgram, waitFor } from '../../support/process.ts'
import { online, type Packed, run } from './packed.ts'
import { checkWorkerTypes, development, statuses, withWrangler, wrangler } from './wrangler.ts'

/** Tests that each example does what it says. */
export function testExamples(packed: Packed): void {
  /** Installs an example from the packed files; its folder is removed at the end. */
  async function example(name: string, network?: string): Promise<string> {
    const made = await installExample(name, packed.library.tarball, network)
    packed.removeLater(made)
    return made
  }

  describe('examples/packages/limited-worker', () => {
    let at: string
    beforeAll(async () => {
      at = await example('limited-worker')
      await copyFile(join(at, '.dev.vars.example'), join(at, '.dev.vars'))
    })

    it('has its rules from the file, with fields, an operator plane and a dry deployment', async () => {
      await withWrangler(at, async (url) => {
        expect(await statuses(`${url}/api/hello`, 10)).toEqual(Array(10).fill(200))
        const refused = await fetch(`${url}/api/hello`)
        expect([refused.status, refused.headers.get('ratelimit-policy')]).toEqual([429, '"requests";q=10;w=60'])
        expect((await fetch(`${url}/ratelimit/rlconfig`)).status).toBe(401)
        const headers = { authorization: 'Bearer change-me-operator-token' }
        const rules = await (await fetch(`${url}/ratelimit/rlconfig`, { headers })).text()
        expect(rules).toContain('api.address: unit=MINUTE requests_per_unit=10')
      })
      expect(await checkWorkerTypes(at)).toBe('')
      const { stdout } = await run(process.execPath, [wrangler, 'deploy', '--dry-run', '--outdir', 'out'], {
        cwd: at,
        env: { ...process.env, ...development },
      })
      expect(stdout).toMatch(/env\.COUNTER \(CounterObject\)[\s\S]*--dry-run: exiting now/)
    })

    it('replaces all by other rules at a deployment; with the same, what an operator changed stays', async () => {
      const rules = await readFile(join(at, 'rules.yaml'), 'utf8')
      const headers = { authorization: 'Bearer change-me-operator-token' }
      const limit = async (url: string) =>
        /requests_per_unit=\d+/.exec(await (await fetch(`${url}/ratelimit/rlconfig`, { headers })).text())?.[0]
      await withWrangler(at, async (url) => {
        expect(await limit(url)).toBe('requests_per_unit=10')
        const file = { method: 'PUT', headers, body: rules.replace('requests_per_unit: 10', 'requests_per_unit: 7') }
        expect((await fetch(`${url}/ratelimit/config/files/config.shipped-1`, file)).status).toBe(200)
      })
      await withWrangler(at, async (url) => expect(await limit(url)).toBe('requests_per_unit=7'))
      await writeFile(join(at, 'rules.yaml'), rules.replace('requests_per_unit: 10', 'requests_per_unit: 2'))
      await withWrangler(at, async (url) => expect(await limit(url)).toBe('requests_per_unit=2'))
    })

    it('does not start with a mistake in its rules', async () => {
      await writeFile(join(at, 'rules.yaml'), 'domain: api\ndescriptors: [{key: a, rate_limit: {unit: dya}}]\n')
      const port = await freePort()
      const program = startProgram(
        process.execPath,
        [wrangler, 'dev', '--port', `${port}`, '--inspector-port', '0'],
        development,
        at,
      )
      try {
        await waitFor('the mistake', async () => program.output().includes("invalid rate limit unit 'dya'"), program)
      } finally {
        await program.stop()
      }
    })
  })

  describe('examples/packages', () => {
    it('limited-server: a server of Node with Express asks the service over HTTP', async ({ skip }) => {
      expect(foreignPackages('limited-server')).toEqual(['express'])
      const at = await online(skip, example('limited-server', '--prefer-offline'))
      const service = await startBundle({
        worker: 'ratelimit',
        vars: { RATELIMIT_RULES: 'domain: api' },
        rebuild: true,
      })
      const program = startProgram(process.execPath, ['server.js'], { LIMITER_URL: service.url, PORT: '0' }, at)
      try {
        await waitFor('the address', async () => program.output().includes('http://'), program)
        const url = program.output().trim()
        expect(await statuses(url, 2, { method: 'POST' })).toEqual([200, 200])
        const refused = await fetch(url)
        expect([refused.status, refused.headers.get('ratelimit')]).toEqual([
          429,
          expect.stringMatching(/"default";r=0;t=\d+/),
        ])
        await service.stop()
        expect(await statuses(url, 1)).toEqual([200])
        expect(program.output()).toContain('unreachable')
      } finally {
        await program.stop()
        await service.stop()
      }
    })

    it('feed-publisher: publishes to a development node and reads the value', async () => {
      const at = await example('feed-publisher')
      const node = await startBundle({ worker: 'streamnet', vars: { STREAMNET_DEVELOPMENT: 'true' }, rebuild: true })
      try {
        const env = {
          ...process.env,
          STREAMNET_ENDPOINT: `${node.url}/streamnet/node`,
          STREAMNET_PRIVATE_KEY: `${'0'.repeat(63)}1`,
        }
        // Key 1 of a development node may give itself the role that creates streams.
        const client = new NetClient(env.STREAMNET_ENDPOINT, env.STREAMNET_PRIVATE_KEY)
        await client.grantRole({ owner: 'system', roleName: 'network_writer', wallets: [client.getCurrentAccount()] })
        const { stdout } = await run(process.execPath, ['publish.js', '21.75'], { cwd: at, env })
        expect(stdout).toMatch(/^21\.75/)
      } finally {
        await node.stop()
      }
    })

    it('grid-exercise: the exercise is a test that passes', async () => {
      const at = await example('grid-exercise')
      const command = [join(at, 'node_modules/vitest/vitest.mjs'), 'run', '--testTimeout', '60000']
      const { stdout } = await run(process.execPath, command, { cwd: at })
      expect(stdout).toMatch(/1 passed/)
    })
  })
}
