/** The command on every version of Node that the product supports; `npm run test:nodes` runs the pure tests on them. */

import { spawnSync } from 'node:child_process'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { installNode, nodeVersions } from '#bin/nodes/installation.ts'
import { buildClients } from '#bin/package/client.ts'
import { projectRoot } from '#bin/project.ts'
import manifest from '../../package.json' with { type: 'json' }
import { makeFolder } from '../support/folder.ts'
import { offline } from '../support/offline.ts'
import { freePort, startProgram } from '../support/process.ts'
import { greeting } from '../support/start.ts'

const folder = makeFolder()

const sluice = join(projectRoot, 'bin/sluice.mjs')

function install(version: string): string | null {
  try {
    return installNode(version)
  } catch (error) {
    if (offline.test(String(error))) return null
    throw error
  }
}

/** The clients as the package has them, with the packages that they need. */
const library = join(folder, 'library')
beforeAll(() => {
  buildClients(library)
  writeFileSync(join(library, 'package.json'), '{ "type": "module" }')
  symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'))
})
const use = `import { createLimiter } from './limiter/index.js'
import { generateStreamId, NetClient } from './streamnet/index.js'
const { reason } = await createLimiter({ url: 'http://127.0.0.1:1', timeout: 60_000 }).limit({ key: 'ada' })
const address = new NetClient('http://127.0.0.1:1', '0'.repeat(63) + '1').getCurrentAccount()
console.log(reason, generateStreamId('p1'), address)`
const used = 'unreachable stf64551fcd6f07823cb87971cfb9144 0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf'

describe.each(nodeVersions)('on Node %s', (version) => {
  it('the clients of the package ask, hash and sign', ({ skip }) => {
    const node = install(version)
    if (node === null) return skip('the registry cannot be reached')
    const options = { encoding: 'utf8', cwd: library, input: use } as const
    const { stdout, stderr } = spawnSync(node, ['--input-type=module', '-'], options)
    expect([stdout.trim(), stderr]).toEqual([used, ''])
  })

  it('the command prints its version, starts the services and decides', async ({ skip }) => {
    const node = install(version)
    if (node === null) return skip('the registry cannot be reached')
    const run = (...args: readonly string[]) => spawnSync(node, [...args], { encoding: 'utf8' }).stdout.trim()
    expect([run('--version'), run(sluice, '--version')]).toEqual([`v${version}`, manifest.version])
    const port = await freePort()
    const none = ['--grpc-port', `${await freePort()}`, '--debug-port', '0', '--node-port', '0']
    const args = ['start', '--port', `${port}`, ...none, '--persist', join(folder, version)]
    const program = startProgram(node, [sluice, ...args], {}, folder)
    try {
      await greeting(program)
      const decision = { domain: 'shop', descriptors: [{ entries: [{ key: 'login', value: 'me' }] }] }
      const url = `http://127.0.0.1:${port}/json`
      const answer = await fetch(url, { method: 'POST', body: JSON.stringify(decision) })
      expect(await answer.json()).toMatchObject({ overallCode: 'OK' })
    } finally {
      await program.stop()
    }
  })
})

it('the versions begin with the least that package.json takes', () => {
  const [least] = nodeVersions
  expect(`>=${least}`).toBe(`${manifest.engines.node}.0`)
  expect(readFileSync(join(projectRoot, 'docs/operations.md'), 'utf8')).toContain(
    nodeVersions.join(', ').replace(/, ([^,]*)$/, ' and $1'),
  )
})
