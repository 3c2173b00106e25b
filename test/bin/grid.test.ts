/** `sluice grid`: what a command line sends, and what becomes of the answer. */

import { execFile, spawn } from 'node:child_process'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { isUnsuccessful, parseGridCall } from '#bin/grid/call.ts'
import { projectRoot } from '#bin/project.ts'
import { listen } from '../support/listen.ts'
import { once } from '../support/wait.ts'

const call = (line: string, environment = {}) => {
  const { url, init, output } = parseGridCall(line.split(' '), environment)
  return { method: init.method, url: `${url}`, body: init.body, headers: new Headers(init.headers), output }
}

describe('parseGridCall()', () => {
  it('finds a route by its words and sends options as its query or as its body', () => {
    expect(call('incidents --limit 5 --proto dnp3')).toMatchObject({
      method: 'GET',
      url: 'http://127.0.0.1:8080/api/v1/incidents?limit=5&proto=dnp3',
    })
    expect(call('attack enable --type NOISE --params {"sigma":0.1}')).toMatchObject({
      method: 'POST',
      body: '{"type":"NOISE","params":{"sigma":0.1}}',
    })
  })

  it('reads a path without options and writes it with options, where it can do both', () => {
    expect(call('sim config').method).toBe('GET')
    expect(call('sim config --seed 7')).toMatchObject({ method: 'POST', body: '{"seed":7}' })
    expect(call('simulations --name drill')).toMatchObject({ method: 'POST', body: '{"name":"drill"}' })
    expect(call('simulations drill').method).toBe('DELETE')
  })

  it('stores a case file under a name, and reads the network back', () => {
    const file = fileURLToPath(new URL('../vectors/networks/case57.m', import.meta.url))
    for (const line of [`import ${file} --name town --frequency 50`, `import ${file} --frequency 50 --name=town`]) {
      const { method, url, body, headers } = call(line)
      expect([method, url]).toEqual(['PUT', 'http://127.0.0.1:8080/api/v1/networks/town?frequency=50'])
      expect([body instanceof Uint8Array && body.length, headers.get('content-type')]).toEqual([13_674, 'text/plain'])
    }
    expect(call('networks town --format matpower')).toMatchObject({
      method: 'GET',
      url: 'http://127.0.0.1:8080/api/v1/networks/town?format=matpower',
    })
    for (const line of ['import', `import ${file}`, 'import --name town']) {
      expect(() => call(line)).toThrow('expected sluice grid import FILE --name NAME')
    }
  })

  it('goes to a named simulation of another service with the token of the environment', () => {
    const sent = call('status --simulation drill --url https://grid.example --output s.json', { GRID_TOKEN: 't' })
    expect(sent).toMatchObject({ url: 'https://grid.example/simulations/drill/api/v1/status', output: 's.json' })
    expect(sent.headers.get('authorization')).toBe('Bearer t')
  })

  it.each([
    ['attck enable', 'there is no route "attck enable", perhaps attack enable'],
    ['incidents --limt 5', 'there is no option --limt, perhaps --limit'],
    ['status --limit', '--limit has no value'],
    ['status --url nowhere', '--url is "nowhere", expected an address such as http://127.0.0.1:8080'],
  ])('says what is wrong with "%s"', (line, message) => {
    expect(() => call(line)).toThrow(message)
  })
})

describe('isUnsuccessful()', () => {
  it('is true for the JSON of an order that was not carried out, and for nothing else', () => {
    expect(isUnsuccessful('{"success": false, "error": "Unknown attack type"}')).toBe(true)
    for (const text of ['{"success": true}', '{}', 'null', '[]', 'success: false', ''])
      expect(isUnsuccessful(text)).toBe(false)
  })
})

describe('sluice grid', () => {
  const server = createServer((request, response) => {
    if (request.headers.authorization !== 'Bearer right') response.writeHead(401)
    if (request.url?.endsWith('/events')) setInterval(() => response.write(': 1\n\n'), 20).unref()
    else request.resume().on('end', () => response.end('{"success": false}'))
  })
  let url = ''
  beforeAll(async () => {
    url = `http://127.0.0.1:${await listen(server)}`
  })
  afterAll(() => server.close())

  const order = ['attack', 'enable', '--type', 'X']
  const run = (token: string, words: readonly string[] = order) =>
    new Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>((resolve) => {
      const args = [join(projectRoot, 'bin/sluice.mjs'), 'grid', ...words, '--url', url]
      const env = { ...process.env, GRID_TOKEN: token }
      const child = execFile(process.execPath, args, { env }, (_, stdout, stderr) =>
        resolve({ code: child.exitCode, stdout, stderr }),
      )
    })

  it('ends with 1 for an order that the service did not carry out', async () => {
    expect(await run('right')).toEqual({
      code: 1,
      stdout: '',
      stderr: '/api/v1/attack/enable answered 200: {"success": false}\n',
    })
  })

  it('names the variable of the token, and whether it is missing or wrong', async () => {
    expect((await run('wrong')).stderr).toContain('GRID_TOKEN is not the token of this service; "sluice token')
    expect((await run('')).stderr).toContain('GRID_TOKEN is not set; "sluice token')
  })

  it('names the file that cannot be written, and not the service', async () => {
    const output = join(projectRoot, 'none', 'answer.json')
    expect((await run('right', ['status', '--output', output])).stderr).toMatch(
      /^Cannot write ".*answer.json": ENOENT: no such file/,
    )
  })

  it('ends without a word when its output is read no more', async () => {
    const args = [join(projectRoot, 'bin/sluice.mjs'), 'grid', 'events', '--url', url]
    const child = spawn(process.execPath, args, { env: { ...process.env, GRID_TOKEN: 'right' } })
    onTestFinished(() => void child.kill('SIGKILL'))
    let printed = ''
    child.stderr.on('data', (text) => (printed += String(text)))
    await once(child.stdout, 'data')
    child.stdout.destroy()
    expect(await once(child, 'close', undefined, 10_000)).toEqual([0, null])
    expect(printed).toBe('')
  })
})
