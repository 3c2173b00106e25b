/** Settings of a start: their sources, refusals before anything listens, and the watched directory. */

import { mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { watchRuntimeDirectory } from '#bin/ratelimit/runtime-directory.ts'
import { gatherSettings } from '#bin/start/environment.ts'
import { parseStartOptions } from '#bin/start/options.ts'
import { makeFolder } from '../support/folder.ts'
import { freePort, waitFor } from '../support/process.ts'
import { startSluice } from '../support/start.ts'

const folder = makeFolder()

const mistakes = (given: Record<string, string>, environment: NodeJS.ProcessEnv = {}) => {
  try {
    gatherSettings(given, environment)
  } catch (error) {
    return error instanceof Error ? error.message.split('\n') : []
  }
  return []
}

describe('gatherSettings()', () => {
  it('takes known names of the environment, and an option before every spelling of its variable', () => {
    const environment = { PATH: '/bin', NODE_ENV: 'test', KVSTORE_URL: 'a:1', SHADOW_MODE: 'true', GRID_AUTH: 'off' }
    const { vars, warnings } = gatherSettings({ REDIS_URL: 'b:2', GRID_AUTH: 'on' }, environment)
    expect(vars).toEqual({ SHADOW_MODE: 'true', REDIS_URL: 'b:2', GRID_AUTH: 'on' })
    expect(warnings).toEqual([])
  })

  it('takes an empty secret of the environment for one that the first start makes, and no other empty one', () => {
    const empty = { ADMIN_TOKEN: '', GRID_TOKEN: '', STREAMNET_TOKEN: '', STREAMNET_PRIVATE_KEY: '' }
    expect(gatherSettings({}, { ...empty, REDIS_AUTH: '' }).vars).toEqual({ REDIS_AUTH: '' })
    expect(mistakes({}, { CALLER_TOKENS: '' })).toEqual([expect.stringContaining('CALLER_TOKENS')])
  })

  it.each([
    [{ STREAMNET_PROFILE: 'foo' }, 'STREAMNET_PROFILE is "foo", expected seed or head'],
    [{ GRID_RELAYS: 'abc' }, 'GRID_RELAYS is "abc", expected a whole number'],
    [{ GRID_AUTH: 'of' }, 'GRID_AUTH is "of", expected 1, t, true, on, 0, f, false or off, perhaps off'],
    [{ STREAMNET_TOKENS: '{}' }, 'STREAMNET_TOKENS: it is not a list'],
    [{ GRID_RELAY: '2' }, '--var GRID_RELAY is not a setting, perhaps GRID_RELAYS'],
    [{ FOO: '1' }, '--var FOO is not a setting, docs/settings.md lists them'],
  ])('refuses the option %j with one line', (given, line) => {
    expect(mistakes(given)).toEqual([expect.stringContaining(line)])
  })

  it('reports all mistakes at once', () => {
    expect(mistakes({ GRID_AUTH: 'of', STREAMNET_PROFILE: 'foo', NEAR_LIMIT_RATIO: '7' })).toHaveLength(3)
  })

  it('refuses a slip in a name with a prefix of ours, warns of others, and is silent about the rest', () => {
    expect(mistakes({}, { STREAMNET_PROFLE: 'head' })).toEqual([
      'Cannot read settings: STREAMNET_PROFLE is not a setting, perhaps STREAMNET_PROFILE',
    ])
    const foreign = { REDIS_HOST: 'x', REDIS_PORT: 'tcp://10.0.0.1:6379', GRID_PORT: 'tcp://10.0.0.2:80' }
    expect(gatherSettings({}, foreign).warnings).toEqual([])
    expect(gatherSettings({}, { NEAR_LIMT_RATIO: '1' }).warnings).toEqual([
      'Cannot read settings: NEAR_LIMT_RATIO is not a setting, perhaps NEAR_LIMIT_RATIO',
    ])
  })
})

describe('parseStartOptions()', () => {
  it('listens at the address of the environment, unless an option has another', () => {
    const environment = { HOST: '127.0.0.2', PORT: '9080', GRPC_PORT: '9081', DEBUG_HOST: '127.0.0.4' }
    expect(parseStartOptions([], environment)).toMatchObject({
      host: '127.0.0.2',
      port: 9080,
      grpcHost: '127.0.0.2',
      grpcPort: 9081,
      debugHost: '127.0.0.4',
    })
    expect(parseStartOptions(['--port', '1', '--var', 'HOST=127.0.0.9'], environment)).toMatchObject({
      host: '127.0.0.9',
      port: 1,
    })
  })

  it('opens the port of metrics where USE_PROMETHEUS asks for it, on the host of the services', () => {
    const metrics = (environment: NodeJS.ProcessEnv) => {
      const { metricsHost, metricsPort } = parseStartOptions([], environment) ?? {}
      return `${metricsHost} ${metricsPort}`
    }
    expect(metrics({ PROMETHEUS_ADDR: ':19001' })).toBe('127.0.0.1 0')
    expect(metrics({ USE_PROMETHEUS: 'true' })).toBe('127.0.0.1 9090')
    expect(metrics({ USE_PROMETHEUS: 'true', PROMETHEUS_ADDR: ':19001', HOST: '0.0.0.0' })).toBe('0.0.0.0 19001')
    expect(metrics({ USE_PROMETHEUS: 'true', PROMETHEUS_ADDR: '[::1]:1' })).toBe('::1 1')
    expect(() => metrics({ USE_PROMETHEUS: 'true', PROMETHEUS_ADDR: ':70000' })).toThrow('expected a port')
    expect(() => metrics({ USE_PROMETHEUS: 'true', PROMETHEUS_ADDR: '19001' })).toThrow('expected HOST:PORT or :PORT')
  })

  it.each([
    [['--prot', '1'], 'Cannot start: there is no option --prot, perhaps --port'],
    [['--zzzzzz'], 'Cannot start: there is no option --zzzzzz, see --help'],
    [['--port'], 'Cannot start: Option'],
  ])('says what is wrong with %j', (args, message) => {
    expect(() => parseStartOptions(args)).toThrow(message)
  })
})

describe('watchRuntimeDirectory()', () => {
  it('leaves nothing behind on the signal that ends it', async () => {
    const root = join(folder, 'leak')
    mkdirSync(root)
    const source = { directory: root, keyPrefix: 'config', ignoresDotFiles: false, swappedPath: null }
    const stop = new AbortController()
    let added = 0
    const { addEventListener, removeEventListener } = stop.signal
    stop.signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
      added++
      addEventListener.apply(stop.signal, args)
    }
    stop.signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
      added--
      removeEventListener.apply(stop.signal, args)
    }
    let most = 0
    let looks = 0
    const watching = watchRuntimeDirectory(
      source,
      async () => {
        looks++
      },
      { signal: stop.signal, since: 'another', intervalMs: 1 },
    )
    for (let round = 0; round < 50; round++) {
      await new Promise((resolve) => setTimeout(resolve, 2))
      most = Math.max(most, added)
    }
    stop.abort()
    await watching
    expect(looks).toBeGreaterThan(0)
    expect(most).toBeLessThanOrEqual(1)
  })
})

describe('npm start', () => {
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
