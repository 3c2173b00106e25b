/** `sluice doctor`: settings in force with their sources, and everything that would keep a start from running. */

import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { diagnose } from '#bin/doctor/diagnosis.ts'
import { showDiagnosis } from '#bin/doctor/report.ts'
import { lockFolder } from '#bin/start/lock.ts'
import { makeFolder } from '../support/folder.ts'
import { listen } from '../support/listen.ts'
import { freePort } from '../support/process.ts'

const folder = makeFolder()

const quiet = ['--grpc-port', '0', '--debug-port', '0', '--node-port', '0', '--persist', folder]

describe('diagnose()', () => {
  it('prints the source of each setting, and of a secret only that it is set', async () => {
    writeFileSync(join(folder, 'secrets.json'), '{"ADMIN_TOKEN":"hidden-one-0123456"}')
    const args = [...quiet, '--port', `${await freePort()}`, '--var', 'SHADOW_MODE=true']
    const environment = { KVSTORE_POOL_SIZE: '3', GRID_TOKEN: 'hidden-two-0123456', NEAR_LIMT_RATIO: '1' }
    const diagnosis = await diagnose(args, environment)
    const find = (name: string) => diagnosis.settings.find((setting) => setting.name === name)
    expect(find('SHADOW_MODE')).toMatchObject({ value: 'true', source: '--var' })
    expect(find('REDIS_POOL_SIZE')).toMatchObject({ value: '3', source: 'environment KVSTORE_POOL_SIZE' })
    expect(find('GRID_TOKEN')).toMatchObject({ value: 'set, not shown', source: 'environment GRID_TOKEN' })
    expect(find('ADMIN_TOKEN')).toMatchObject({ value: 'set, not shown', source: 'secrets.json' })
    expect(find('STREAMNET_TOKEN')).toMatchObject({ value: 'not set', source: 'default' })
    expect(find('NEAR_LIMIT_RATIO')).toMatchObject({ value: '0.8', source: 'default' })
    expect(diagnosis.mistakes).toEqual([])
    expect(diagnosis.warnings).toEqual([expect.stringContaining('perhaps NEAR_LIMIT_RATIO')])
    expect(showDiagnosis(diagnosis)).not.toContain('hidden')
    expect(showDiagnosis(diagnosis)).toContain('A start would succeed.')
    expect(readdirSync(folder)).toEqual(['secrets.json'])
  })

  it('finds a port that is taken and a configuration with mistakes together', async () => {
    const server = createServer()
    const port = await listen(server)
    writeFileSync(join(folder, 'bad.yaml'), 'domain: a\ndescriptors:\n  - kye: b\n')
    const { mistakes } = await diagnose([...quiet, '--port', `${port}`, '--config', folder], {})
    server.close()
    expect(mistakes[0]).toBe(`Cannot start: port ${port} of 127.0.0.1 is taken, choose another with --port`)
    expect(mistakes[1]).toBe('Cannot start: the configuration has mistakes')
  })

  it('reports a start that runs on the folder, and only ports that another program has taken', async () => {
    const server = createServer()
    const port = await listen(server)
    const lock = await lockFolder(folder, [`127.0.0.1:${port}`])
    const [same, other] = [
      await diagnose([...quiet, '--port', `${port}`], {}),
      await diagnose([...quiet, '--port', `${await freePort()}`, '--bare-port', `${port}`], {}),
    ]
    const shared = await diagnose(['--persist', folder, '--port', `${port}`, '--grpc-port', `${port}`], {})
    lock?.release()
    const free = await diagnose([...quiet, '--port', `${port}`], {})
    server.close()
    expect([same.mistakes, other.mistakes]).toEqual([[], []])
    expect(showDiagnosis(same)).toContain(
      `Already running on this folder: process ${process.pid} at http://127.0.0.1:${port}.\n`,
    )
    expect(shared.mistakes).toContainEqual(expect.stringContaining('--port and --grpc-port are both'))
    expect([free.running, free.mistakes.length]).toEqual([null, 1])
  })

  it('finds secrets that a start could not use, and goes on', async () => {
    const kept = makeFolder(onTestFinished)
    const args = [...quiet, '--port', `${await freePort()}`, '--persist', kept]
    mkdirSync(join(kept, 'secrets.json'))
    const unreadable = await diagnose(args, {})
    rmSync(join(kept, 'secrets.json'), { recursive: true })
    writeFileSync(join(kept, 'secrets.json'), '{"GRID_TOKEN":"x"}')
    const weak = await diagnose(args, {})
    expect(unreadable.mistakes).toEqual([expect.stringContaining('secrets.json is not readable (EISDIR)')])
    expect(weak.mistakes).toEqual([expect.stringContaining('GRID_TOKEN can be guessed')])
  })

  it('finds a state folder that cannot be made', async () => {
    const file = join(folder, 'a-file')
    writeFileSync(file, '')
    const persist = join(file, 'state', 'deep')
    const { mistakes } = await diagnose([...quiet, '--port', `${await freePort()}`, '--persist', persist], {})
    rmSync(file)
    expect(mistakes).toEqual([
      `Cannot start: --persist is "${persist}", which cannot be written (ENOTDIR), expected a folder to keep state in`,
    ])
  })

  it.each([
    [{ SLUICE_STAET: 'x' }, 'SLUICE_STAET is not a setting, perhaps SLUICE_STATE'],
    [{ GRID_AUTH: 'of' }, 'GRID_AUTH is "of", expected 1, t, true, on, 0, f, false or off, perhaps off'],
    [{ SLUICE_NODE_PORT: '70000' }, 'SLUICE_NODE_PORT is "70000", expected a whole number from 0 to 65535'],
    [
      { STREAMNET_NODE_KEY: 'ab'.repeat(32), STREAMNET_OPERATOR: `0x${'cd'.repeat(20)}` },
      'expected that of STREAMNET_OPERATOR',
    ],
    [{ REDIS_URL: 'a:1', KVSTORE_URL: 'b:2' }, 'REDIS_URL and KVSTORE_URL differ'],
    [{ GRID_TOKEN: 'x' }, 'Cannot start: GRID_TOKEN can be guessed'],
    [{ STREAMNET_ADMIN_TOKEN: 'operator' }, 'Cannot start: STREAMNET_ADMIN_TOKEN can be guessed'],
  ])('tells what is wrong with %j', async (environment, line) => {
    const { mistakes } = await diagnose([...quiet, '--port', `${await freePort()}`], environment)
    expect(mistakes).toEqual([expect.stringContaining(line)])
  })

  it.each([
    [{ PROMETHEUS_MAPPER_YAML: import.meta.filename }, 'PROMETHEUS_MAPPER_YAML names'],
    [
      {
        BACKEND_TYPE: 'redis',
        REDIS_SOCKET_TYPE: 'tcp',
        REDIS_URL: 'a:1',
        REDIS_TLS: 'true',
        REDIS_TLS_CACERT: '/none',
      },
      'REDIS_TLS_CACERT is "/none" (ENOENT)',
    ],
  ])('reads the files that a start would read: %j', async (environment, line) => {
    const { mistakes } = await diagnose([...quiet, '--port', `${await freePort()}`], environment)
    expect(mistakes).toEqual([expect.stringContaining(line)])
  })

  it('reads the certificates of native gRPC, and knows a folder of sluice workerd', async () => {
    const kept = makeFolder(onTestFinished)
    writeFileSync(join(kept, 'sluice.capnp'), '')
    const ports = ['--port', `${await freePort()}`, '--grpc-port', `${await freePort()}`]
    const { mistakes } = await diagnose([...quiet, ...ports, '--persist', kept], { GRPC_SERVER_USE_TLS: 'true' })
    expect(mistakes).toEqual([
      expect.stringContaining(`${kept} was written by sluice workerd`),
      'Cannot start: GRPC_SERVER_TLS_CERT is "", expected a file that can be read',
    ])
  })

  const callers = 'envoy=token-of-the-envoy,gate=token-of-the-gate'
  const on = { GATE_ENABLED: 'true' }
  it.each([
    [{ ...on, CALLER_TOKENS: callers }, 'GATE_ENABLED, it has no effect: CALLER_TOKENS is set and'],
    [
      { ...on, CALLER_TOKENS: callers, GATE_CALLER_TOKEN: 'gate=token-of-the-gate' },
      'GATE_ENABLED, it has no effect: GATE_CALLER_TOKEN is not a token of CALLER_TOKENS, expected the token of one entry, without its name',
    ],
    [{ ...on, GATE_CALLER_TOKEN: 'token-of-the-gate' }, 'without CALLER_TOKENS the rate limiter asks for none'],
    [{ CALLER_TOKENS: callers, GATE_CALLER_TOKEN: 'token-of-the-gate' }, 'GATE_ENABLED is false'],
    [{ ...on, CALLER_TOKENS: callers, GATE_CALLER_TOKEN: 'token-of-the-gate' }, null],
    [on, null],
  ])('warns of settings of the gate that have no effect together: %j', async (environment, line) => {
    const { mistakes, warnings } = await diagnose([...quiet, '--port', `${await freePort()}`], environment)
    expect(mistakes).toEqual([])
    expect(warnings).toEqual(line === null ? [] : [expect.stringContaining(line)])
    expect(warnings.join()).not.toContain('token-of')
  })
})
