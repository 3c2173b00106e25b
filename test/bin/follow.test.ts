/** Following the runtime directory: what is said about a set that the service refuses, and one that it could not take. */

import { mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { followRuntimeDirectory } from '#bin/start/follow.ts'
import { makeFolder } from '../support/folder.ts'
import { listen } from '../support/listen.ts'
import { freePort, waitFor } from '../support/process.ts'
import { startSluice } from '../support/start.ts'

/**
 * Follows a directory that has changed, until so many lines are said.
 *
 * @param answer - answers a push.
 */
async function follow(answer: (response: ServerResponse) => void, lines: number) {
  const directory = makeFolder(onTestFinished)
  await writeFile(join(directory, 'a.yaml'), 'domain: a\n')
  const server = createServer((_, response) => answer(response))
  const said: string[] = []
  const stopping = new AbortController()
  try {
    const port = await listen(server)
    const source = { directory, keyPrefix: 'config', ignoresDotFiles: false, swappedPath: null }
    const service = { url: `http://127.0.0.1:${port}`, token: 'admin', who: 'test' }
    const say = (line: string) => said.push(line)
    const following = followRuntimeDirectory(source, service, { signal: stopping.signal, since: 'before', say })
    await expect.poll(() => said.length).toBe(lines)
    stopping.abort()
    await following
  } finally {
    server.closeAllConnections()
    server.close()
  }
  return { directory, said }
}

it('followRuntimeDirectory() pushes a change again that the service could not take, and reports it once', async () => {
  let pushes = 0
  const { directory, said } = await follow((response) => {
    pushes += 1
    if (pushes < 3) response.writeHead(503).end('it does not run\n')
    else response.end(JSON.stringify({ revision: 7, changes: { files: { added: [], changed: [], removed: [] } } }))
  }, 2)
  expect([pushes, said[0], said[1]]).toEqual([
    3,
    expect.stringMatching(/not loaded: .* answered 503 it does not run$/),
    `Configuration of ${directory}: revision 7 runs`,
  ])
})

it('followRuntimeDirectory() reports each mistake that the service lists, and the number of further ones', async () => {
  const mistakes = [{ file: 'config.a.yaml', path: 'domain', line: 1, message: 'is wrong' }]
  const refusal = JSON.stringify({ error: { code: 'invalid_rules', mistakes, leftOut: 7 } })
  const { directory, said } = await follow((response) => response.writeHead(422).end(refusal), 3)
  expect(said.slice(1)).toEqual([
    `  ${join(directory, 'a.yaml')}: is wrong (line 1, domain)`,
    '  and 7 further mistakes',
  ])
})

describe('npm start', () => {
  const folder = makeFolder()
  const limit = (domain: string, unit = 'day') =>
    `domain: ${domain}\ndescriptors: [{ key: k, rate_limit: { unit: ${unit}, requests_per_unit: 1 } }]`

  /** A version of the configuration, as a deployment tool unpacks it beside the running one. */
  function version(name: string, text: string): string {
    const root = join(folder, name)
    mkdirSync(join(root, 'app/config'), { recursive: true })
    writeFileSync(join(root, 'app/config/a.yaml'), text)
    return root
  }

  function swap(root: string, target: string): void {
    symlinkSync(target, `${root}.new`)
    renameSync(`${root}.new`, root)
  }

  it('follows the link at RUNTIME_ROOT, keeps the last good configuration, logs and counts the bad one', async () => {
    const [root, persist, port] = [join(folder, 'current'), join(folder, 'state'), await freePort()]
    symlinkSync(version('v1', limit('first')), root)
    const args = ['--persist', persist, '--debug-port', '0', '--grpc-port', '0', '--node-port', '0']
    const environment = { RUNTIME_ROOT: root, RUNTIME_SUBDIRECTORY: 'app', PORT: `${port}` }
    const program = startSluice(args, environment)
    const printed = (text: string) => waitFor(text, async () => program.output().includes(text), program)
    await printed('Sluice runs on')
    const { ADMIN_TOKEN } = JSON.parse(readFileSync(join(persist, 'secrets.json'), 'utf8'))
    const operate = async (page: string) => {
      const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
      return (await fetch(`http://127.0.0.1:${port}/ratelimit${page}`, { headers })).text()
    }
    expect(await operate('/rlconfig')).toContain('first.k')

    swap(root, version('v2', limit('wrong', 'eon')))
    await printed('refused, the last good one stays')
    expect(program.output()).toContain("invalid rate limit unit 'eon'")
    expect(await operate('/rlconfig')).toContain('first.k')
    await expect.poll(() => operate('/stats')).toContain('config_load_error: 1')

    swap(root, version('v3', limit('third')))
    await printed('revision 2 runs')
    await expect.poll(() => operate('/rlconfig')).toContain('third.k')
    await program.stop()
  })
})
