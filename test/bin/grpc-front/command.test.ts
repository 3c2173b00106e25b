/** `sluice grpc-front`: where it listens, its messages and its end. */

import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { credentials } from '@grpc/grpc-js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { projectRoot } from '#bin/project.ts'
import { makeFolder } from '../../support/folder.ts'
import { call, codeOf, frontedUpstream } from '../../support/fronted-upstream.ts'
import { once } from '../../support/wait.ts'

const { front, open, upstream } = frontedUpstream()

describe('bin/grpc-front.ts', () => {
  const start = (args: readonly string[], env: Record<string, string> = {}): ChildProcess =>
    spawn(process.execPath, [join(projectRoot, 'bin/run.mjs'), 'grpc-front', ...args], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })

  it('says what would be right for an upstream without its protocol and a port that is taken', async () => {
    const complaint = async (...args: readonly string[]) => {
      const child = start(args)
      return String((await once(child.stderr ?? child, 'data'))[0])
    }
    expect(await complaint('--upstream', 'limits.example.com')).toBe(
      'Cannot start: --upstream is "limits.example.com", expected an address such as http://127.0.0.1:8080\n',
    )
    expect(await complaint('--host', '127.0.0.1', '--port', `${front().port}`)).toBe(
      `Cannot start: port ${front().port} of 127.0.0.1 is taken (EADDRINUSE), choose another with --port\n`,
    )
  })

  it('listens on the UNIX socket of GRPC_UDS, also where a killed front left its file, and not where one runs', async () => {
    const socket = join(makeFolder(onTestFinished), 'grpc.sock')
    const args = ['--upstream', upstream().url]
    const killed = start(args, { GRPC_UDS: socket })
    await once(killed.stdout ?? killed, 'data')
    killed.kill('SIGKILL')
    await once(killed, 'exit')
    const child = start(args, { GRPC_UDS: socket })
    expect(String((await once(child.stdout ?? child, 'data'))[0])).toBe(`gRPC on ${socket} -> ${upstream().url}\n`)
    expect(await codeOf(call(open(credentials.createInsecure(), `unix:${socket}`)))).toBe(0)
    const second = start(args, { GRPC_UDS: socket })
    expect(String((await once(second.stderr ?? second, 'data'))[0])).toBe(
      `Cannot start: ${socket} is taken (EADDRINUSE), name another with GRPC_UDS\n`,
    )
    child.kill('SIGTERM')
    expect((await once(child, 'exit'))[0]).toBe(0)
    expect(existsSync(socket)).toBe(false)
  })

  it('forwards until SIGTERM, which it answers by finishing and exit code 0', async () => {
    const child = start(['--port', '0', '--upstream', upstream().url], { GRPC_HOST: '127.0.0.1' })
    const [line] = await once(child.stdout ?? child, 'data')
    const port = Number(/127\.0\.0\.1:(\d+) ->/.exec(String(line))?.[1])
    expect(await codeOf(call(open(credentials.createInsecure(), `localhost:${port}`)))).toBe(0)
    child.kill('SIGTERM')
    expect((await once(child, 'exit'))[0]).toBe(0)
  })

  it('says in one line what is wrong and exits with 1', async () => {
    const wrong: readonly (readonly [readonly string[], Record<string, string>, RegExp])[] = [
      [['--port', '99999'], {}, /^Cannot start: --port is "99999", expected a whole number up to 65535\n$/],
      [
        ['--port', '0', '--upstream', 'ftp://x'],
        {},
        /^Cannot start: --upstream is "ftp:\/\/x", expected an address such as http:/,
      ],
      [[], { GRPC_MAX_CONNECTION_AGE: 'soon' }, /GRPC_MAX_CONNECTION_AGE.*"soon"/],
      [[], { GRPC_SERVER_USE_TLS: 'true', GRPC_SERVER_TLS_CERT: '/no/such' }, /GRPC_SERVER_TLS_CERT is "\/no\/such"/],
    ]
    for (const [args, env, expected] of wrong) {
      const child = start(args, env)
      const [text] = await once(child.stderr ?? child, 'data')
      expect(String(text)).toMatch(expected)
      expect((await once(child, 'exit'))[0]).toBe(1)
    }
  })
})
