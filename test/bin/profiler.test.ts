/** `/debug/pprof/` of `npm start`: profiles of the runtime, taken under load, and who may take them. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { fromBinary } from '@bufbuild/protobuf'
import { Agent, request } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toPprof } from '#bin/profiler/pprof.ts'
import { startProfiler, withoutSecrets } from '#bin/profiler/server.ts'
import { ProfileSchema } from '#proto-json/gen/profile_pb.ts'
import { makeFolder } from '../support/folder.ts'
import { freePort, type RunningProgram } from '../support/process.ts'
import { greeting, startSluice } from '../support/start.ts'

const folder = makeFolder()

describe('toPprof()', () => {
  it('keeps the time of every stack, from the inside out, and leaves out what is idle', () => {
    const frame = (functionName: string, lineNumber: number) => ({
      functionName,
      scriptId: '1',
      url: 'a.js',
      lineNumber,
      columnNumber: 0,
    })
    const bytes = toPprof(
      {
        nodes: [
          { id: 1, callFrame: frame('(root)', -1), children: [2, 4] },
          { id: 2, callFrame: frame('outer', 6), children: [3] },
          { id: 3, callFrame: frame('', 8) },
          { id: 4, callFrame: frame('(idle)', -1) },
        ],
        startTime: 1_000,
        endTime: 8_000,
        samples: [3, 4, 3, 2],
        timeDeltas: [1_000, 3_000, 1_500, 500],
      },
      1_700_000_000_000,
    )
    const {
      sample,
      location,
      function: functions,
      stringTable,
      ...times
    } = fromBinary(ProfileSchema, gunzipSync(bytes))
    const nameOf = (id: bigint) => {
      const line = location.find((place) => place.id === id)?.line[0]
      const own = functions.find((one) => one.id === line?.functionId)
      return `${stringTable[Number(own?.name)]}:${line?.line}`
    }
    expect(sample.map(({ locationId, value }) => [locationId.map(nameOf), value])).toEqual([
      [
        ['(anonymous):9', 'outer:7'],
        [2n, 2_500_000n],
      ],
      [['outer:7'], [1n, 500_000n]],
    ])
    expect(times).toMatchObject({
      timeNanos: 1_699_999_999_993_000_000n,
      durationNanos: 7_000_000n,
      period: 1_000_000n,
    })
  })
})

describe('withoutSecrets()', () => {
  it('leaves out the values of settings', () => {
    const words = ['node', 'start', '--var', 'ADMIN_TOKEN=a=b', '--var=REDIS_AUTH=c\nd', '--port', '1']
    expect(withoutSecrets(words)).toEqual([
      'node',
      'start',
      '--var',
      'ADMIN_TOKEN=...',
      '--var=REDIS_AUTH=...',
      '--port',
      '1',
    ])
  })
})

describe('startProfiler()', () => {
  it('explains how to open the inspector where it is closed', async () => {
    const profiler = await startProfiler({ inspectorPort: 0, commandLine: [] })
    const dispatcher = new Agent({ connect: { socketPath: profiler.socketPath } })
    for (const path of ['profile?seconds=1', 'heap']) {
      const answer = await request(`http://profiler/debug/pprof/${path}`, { dispatcher })
      expect(answer.statusCode).toBe(501)
      expect(await answer.body.text()).toContain('expected a start with --inspector-port PORT')
    }
    await dispatcher.close()
    await profiler.stop()
  })
})

describe('npm start --inspector-port', () => {
  let program: RunningProgram
  let base: string
  let main: string
  let token: string

  beforeAll(async () => {
    const [port, debugPort, inspector] = [await freePort(), await freePort(), await freePort()]
    const persist = join(folder, 'state')
    const ports = ['--port', port, '--debug-port', debugPort, '--grpc-port', 0, '--node-port', 0]
    const args = [...ports, '--inspector-port', inspector, '--persist', persist].map(String)
    program = startSluice(args)
    await greeting(program)
    token = JSON.parse(readFileSync(join(persist, 'secrets.json'), 'utf8')).ADMIN_TOKEN
    base = `http://127.0.0.1:${debugPort}/debug/pprof`
    main = `http://127.0.0.1:${port}`
  })
  afterAll(() => program.stop())

  const get = (path: string) => fetch(`${base}${path}`, { headers: { authorization: `Bearer ${token}` } })
  const textOf = async (path: string) => {
    const answer = await get(path)
    return [answer.status, await answer.text()] as const
  }

  it('is closed to callers without the token of the operator', async () => {
    for (const path of ['/', '/profile?seconds=1', '/heap', '/cmdline']) {
      expect((await fetch(`${base}${path}`)).status).toBe(401)
    }
  })

  it('lists the profiles, and explains each that is missing', async () => {
    expect(await textOf('/')).toEqual([200, expect.stringContaining('/debug/pprof/profile?seconds=30')])
    expect(await textOf('/cmdline')).toEqual([200, expect.stringContaining('\0--port\0')])
    for (const name of ['goroutine', 'block', 'mutex', 'trace', 'symbol', 'threadcreate', 'allocs']) {
      expect(await textOf(`/${name}`)).toEqual([501, expect.stringMatching(`^There is no profile "${name}": `)])
    }
    expect((await textOf('/heaps'))[0]).toBe(404)
    for (const seconds of ['0', '61', '1e1', '-1']) {
      expect(await textOf(`/profile?seconds=${seconds}`)).toEqual([400, expect.stringContaining('expected 1 to 60')])
    }
    expect((await textOf('/profile?format=svg'))[1]).toContain('expected pprof or cpuprofile')
  })

  it('names the functions that ran, in both forms, one profile at a time', async () => {
    const body = JSON.stringify({ domain: 'shop', descriptors: [{ entries: [{ key: 'login', value: 'me' }] }] })
    let isAsking = true
    const load = async () => {
      while (isAsking) await (await fetch(`${main}/json`, { method: 'POST', body })).text()
    }
    const loads = [load(), load()]
    const first = get('/profile?seconds=1&format=cpuprofile')
    await expect.poll(async () => (await textOf('/profile?seconds=1'))[0]).toBe(429)
    const { nodes } = JSON.parse(await (await first).text())
    const names = nodes.map((node: { callFrame: { functionName: string } }) => node.callFrame.functionName)
    const second = await get('/profile?seconds=1')
    const bytes = Buffer.from(await second.arrayBuffer())
    isAsking = false
    await Promise.all(loads)
    const { stringTable } = fromBinary(ProfileSchema, gunzipSync(bytes))
    // Functions of the decision's path: which of them a profile of a second meets is chance.
    const ours = /^(?:decide|answerJson|openBackEnd|counterStore|applyAll|hitOne|hit|send|operate|fetch)$/
    expect(names.filter((name: string) => ours.test(name))).not.toEqual([])
    expect(stringTable.filter((name) => ours.test(name))).not.toEqual([])
  })

  it('writes a heap snapshot', async () => {
    const answer = await get('/heap')
    expect(answer.headers.get('content-disposition')).toContain('heap.heapsnapshot')
    const { snapshot, strings } = JSON.parse(await answer.text())
    expect(snapshot.node_count).toBeGreaterThan(1_000)
    expect(strings).toContain('(GC roots)')
  })
})
