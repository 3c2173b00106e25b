/** Following the runtime directory: what is said about a set that the service refuses, and one that it could not take. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { followRuntimeDirectory } from '../../bin/start/follow.ts'

it('followRuntimeDirectory() pushes a change again that the service could not take, and says so once', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-follow-'))
  await writeFile(join(directory, 'a.yaml'), 'domain: a\n')
  let pushes = 0
  const server = createServer((_, response) => {
    pushes += 1
    if (pushes < 3) response.writeHead(503).end('it does not run\n')
    else response.end(JSON.stringify({ revision: 7, changes: {} }))
  }).listen(0, '127.0.0.1')
  const said: string[] = []
  const stopping = new AbortController()
  try {
    await new Promise((resolve) => server.once('listening', resolve))
    // It is the port of a socket and not the path of a pipe.
    const { port } = server.address() as AddressInfo
    const source = { directory, keyPrefix: 'config', ignoresDotFiles: false, swappedPath: null }
    const service = { url: `http://127.0.0.1:${port}`, token: 'admin', who: 'test' }
    const say = (line: string) => said.push(line)
    const following = followRuntimeDirectory(source, service, {
      signal: stopping.signal,
      since: 'before',
      say,
    })
    await expect.poll(() => said.length).toBe(2)
    stopping.abort()
    await following
  } finally {
    server.closeAllConnections()
    server.close()
    await rm(directory, { recursive: true })
  }
  expect([pushes, said[0], said[1]]).toEqual([
    3,
    expect.stringMatching(/not loaded: .* answered 503 it does not run$/),
    `Configuration of ${directory}: revision 7 runs`,
  ])
})

it('followRuntimeDirectory() says each mistake that the service lists, and how many it does not', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-follow-'))
  await writeFile(join(directory, 'a.yaml'), 'domain: a\n')
  const mistakes = [{ file: 'config.a.yaml', path: 'domain', line: 1, message: 'is wrong' }]
  const server = createServer((_, response) => {
    response.writeHead(422).end(JSON.stringify({ error: { code: 'invalid_rules', mistakes, leftOut: 7 } }))
  }).listen(0, '127.0.0.1')
  const said: string[] = []
  const stopping = new AbortController()
  try {
    await new Promise((resolve) => server.once('listening', resolve))
    // It is the port of a socket and not the path of a pipe.
    const { port } = server.address() as AddressInfo
    const source = { directory, keyPrefix: 'config', ignoresDotFiles: false, swappedPath: null }
    const service = { url: `http://127.0.0.1:${port}`, token: 'admin', who: 'test' }
    const say = (line: string) => said.push(line)
    const following = followRuntimeDirectory(source, service, {
      signal: stopping.signal,
      since: 'before',
      say,
    })
    await expect.poll(() => said.length).toBe(3)
    stopping.abort()
    await following
  } finally {
    server.closeAllConnections()
    server.close()
    await rm(directory, { recursive: true })
  }
  expect(said.slice(1)).toEqual(['  config.a.yaml: is wrong (line 1, domain)', '  and 7 further mistakes'])
})
