/** Following the runtime directory: what is said about a set that the service refuses, and one that it could not take. */

import { writeFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { followRuntimeDirectory } from '#bin/start/follow.ts'
import { makeFolder } from '../support/folder.ts'
import { listen } from '../support/listen.ts'

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
