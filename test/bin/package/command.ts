/** The installed command: its version, its checks, and the services that it starts. */

import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import manifest from '../../../package.json' with { type: 'json' }
import { expectCommand, readCommands, startForCommands, taskPages } from '../../support/page-commands.ts'
import { findProgram, startProgram } from '../../support/process.ts'
import { type Packed, run } from './packed.ts'

/** Tests the installed command. */
export function testCommand(packed: Packed): void {
  /** Runs the installed command to its end. */
  async function sluice(...args: readonly string[]): Promise<string> {
    const command = join(packed.folder, 'node_modules/sluice-cli/bin/sluice.mjs')
    return (await run(process.execPath, [command, ...args], { cwd: packed.folder })).stdout
  }

  describe('the command of the package', () => {
    it('prints the version of the manifest', async () => {
      expect((await sluice('--version')).trim()).toBe(manifest.version)
    })

    it('checks the configuration that comes with it', async () => {
      expect(await sluice('ratelimit', 'check', 'node_modules/sluice-cli/examples/ratelimit/config')).toContain(
        'all rate limit configs ok',
      )
    })

    it('starts the services from its own folder, without a development tool, and answers for each of them', async () => {
      const command = join(packed.folder, 'node_modules/sluice-cli/bin/sluice.mjs')
      await symlink('node_modules/sluice-cli/examples', join(packed.folder, 'examples'))
      const { program, place } = await startForCommands(packed.folder, join(packed.folder, '.sluice'), (flags) =>
        startProgram(process.execPath, [command, 'start', ...flags], {}, packed.folder),
      )
      try {
        const url = `http://127.0.0.1:${place.ports[8080]}`
        const decision = { domain: 'shop', descriptors: [{ entries: [{ key: 'login', value: 'me' }] }] }
        const answer = await fetch(`${url}/json`, { method: 'POST', body: JSON.stringify(decision) })
        expect(await answer.json()).toMatchObject({ overallCode: 'OK' })
        expect((await fetch(`${url}/api/v1/status`)).status).toBe(200)
        const page = await fetch(url, { headers: { accept: 'text/html' } })
        expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')])
        const node = `http://127.0.0.1:${place.ports[8484]}`
        const streams = await sluice('streamnet', 'list_streams', '--endpoint', node, '--json')
        expect(JSON.parse(streams).length).toBeGreaterThan(0)
        expect(await sluice('token', 'GRID_TOKEN')).toMatch(/^[0-9a-f]{32}\n$/)
        const named = taskPages.flatMap(readCommands).filter(({ command: text }) => text.includes('npx sluice '))
        expect(new Set(named.map(({ path }) => path)).size).toBeGreaterThan(3)
        if (findProgram('curl') !== null) for (const block of named) expectCommand(block, place)
      } finally {
        await program.stop()
      }
    })
  })
}
