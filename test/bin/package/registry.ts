/** The packages and the registry: installed from it with nothing else, and published to it. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { projectRoot } from '#bin/project.ts'
import manifest from '../../../package.json' with { type: 'json' }
import { freePort } from '../../support/process.ts'
import { npmOptions, online, type Packed, run } from './packed.ts'

const fresh = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']

/** Tests installation from the registry, and a publication that runs dry. */
export function testRegistry(packed: Packed): void {
  /** Installs into an empty folder from the registry, and returns the folder. */
  async function installFresh(skip: (when: boolean, why: string) => void, ...what: readonly string[]): Promise<string> {
    const empty = await packed.makeEmpty()
    await online(skip, run('npm', ['install', ...fresh, ...what], { cwd: empty }))
    return empty
  }

  it('the command installs from the registry into an empty folder, with scripts off, and finds its runtime', async ({
    skip,
  }) => {
    const empty = await installFresh(skip, packed.command.tarball)
    const ports = `--port ${await freePort()} --grpc-port 0 --debug-port 0 --node-port 0`.split(' ')
    const doctor = ['exec', '--offline', '--', 'sluice', 'doctor', '--json', ...ports]
    const { stdout } = await run('npm', doctor, { cwd: empty })
    expect(JSON.parse(stdout)).toMatchObject({ version: manifest.version, runtime: expect.any(String), mistakes: [] })
  })

  it('the command without its optional packages names what is missing', async ({ skip }) => {
    const small = await installFresh(skip, '--omit=optional', packed.command.tarball)
    const command = [join(small, 'node_modules/sluice-cli/bin/sluice.mjs')]
    await expect(run(process.execPath, [...command, 'start'], { cwd: small })).rejects.toThrow(
      'is not installed, expected an installation without --omit=optional',
    )
    await run(
      'npm',
      ['install', ...npmOptions, '--ignore-scripts', '--omit=optional', join(projectRoot, 'node_modules/undici')],
      { cwd: small },
    )
    await expect(run(process.execPath, [...command, 'start', '--persist', 'state'], { cwd: small })).rejects.toThrow(
      'Cannot start the runtime: the package workerd is not installed',
    )
    // The folder is for another runtime, which may be on another machine.
    const { stdout } = await run(process.execPath, [...command, 'workerd', 'served'], { cwd: small })
    expect(stdout).toContain('Written to ')
  })

  it('the library installs from the registry with noble and nothing else, and its modules run', async ({ skip }) => {
    const small = await installFresh(skip, packed.library.tarball)
    const installed = readdirSync(join(small, 'node_modules')).filter((name) => !name.startsWith('.'))
    expect(installed.sort()).toEqual(['@noble', 'sluice'])
    const modules = [
      'streamnet',
      'grid',
      'ratelimit',
      'ratelimit/hono',
      'ratelimit/express',
      'ratelimit/testing',
      'streamnet/testing',
    ]
    const all = modules.map((name) => `import('sluice/${name}')`).join(', ')
    const script = `Promise.all([${all}]).then((all) => console.log(all.map((one) => Object.keys(one).length > 0).join()))`
    const { stdout } = await run(process.execPath, ['-e', script], { cwd: small })
    expect(stdout.trim()).toBe(modules.map(() => 'true').join())
  })

  it('the publishing workflow runs dry: both packages, with provenance', async ({ skip }) => {
    const { jobs } = parse(readFileSync(join(projectRoot, '.github/workflows/publish.yml'), 'utf8'))
    const [{ run: lines = '' } = {}] = jobs.publish.steps.filter(
      (step: { readonly name?: string }) => step.name === 'Publish',
    )
    const shell = run('bash', ['-ec', lines], { cwd: projectRoot, env: { ...process.env, DRY: '--dry-run' } })
    const { stdout, stderr } = await online(skip, shell)
    expect(stdout.trim().split('\n')).toEqual([`+ sluice@${manifest.version}`, `+ sluice-cli@${manifest.version}`])
    expect(stderr).toContain('(dry-run)')
  })
}
