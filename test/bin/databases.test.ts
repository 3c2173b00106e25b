/** The databases of a state folder: copied as `docs/storage.md` says, and those that lost their contents. */

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { projectRoot } from '#bin/project.ts'
import { lookAtDatabases } from '#bin/start/databases.ts'
import { makeFolder } from '../support/folder.ts'
import { freePort } from '../support/process.ts'
import { greeting, onlyPort, startSluice } from '../support/start.ts'

const parent = makeFolder()

const page = 'SQLite format 3\0'.padEnd(4096, 'x')

describe('lookAtDatabases()', () => {
  let folder: string
  const write = (name: string, text: string) => writeFileSync(join(folder, 'state/index-A', name), text)
  const path = () => join(folder, 'state/index-A/1.sqlite')

  beforeEach(() => {
    folder = mkdtempSync(join(parent, 'state-'))
    mkdirSync(join(folder, 'state/index-A'), { recursive: true })
  })

  it('finds nothing in a database with or without a log, and in a folder without state', () => {
    write('1.sqlite', page)
    write('2.sqlite', page)
    write('2.sqlite-wal', 'log')
    writeFileSync(join(folder, 'state/a-file'), '')
    for (const one of [folder, join(folder, 'nowhere')]) {
      expect(lookAtDatabases(one)).toEqual({ mistakes: [], warnings: [] })
    }
  })

  it('warns of a file of 0 octets, which opens as a new database', () => {
    write('1.sqlite', '')
    expect(lookAtDatabases(folder)).toEqual({
      mistakes: [],
      warnings: [`${path()} is empty: what its object kept is lost, and the object begins anew`],
    })
  })

  it('refuses a file of 0 octets beside a log, because opening it would discard the log', () => {
    write('1.sqlite', '')
    write('1.sqlite-wal', 'log')
    const { mistakes, warnings } = lookAtDatabases(folder)
    expect(mistakes).toEqual([expect.stringContaining(`Cannot start: ${path()} is empty and its log`)])
    expect(warnings).toEqual([])
  })

  it('warns of a file that is not a database, except where the log may hold its first page', () => {
    write('1.sqlite', 'something else')
    expect(lookAtDatabases(folder).warnings).toEqual([
      expect.stringContaining(`${path()} is not a database: its object cannot answer`),
    ])
    write('1.sqlite-wal', 'log')
    expect(lookAtDatabases(folder).warnings).toEqual([])
  })

  it('looks at 2,000 files of a class at most', () => {
    for (let at = 0; at < 2_010; at++) write(`${at}.sqlite`, '')
    expect(lookAtDatabases(folder).warnings).toHaveLength(2_000)
  })
})

describe('npm start', () => {
  const decision = JSON.stringify({
    domain: 'messaging',
    descriptors: [{ entries: [{ key: 'to_number', value: '2065550100' }] }],
  })

  /** Starts on a folder, runs an action, and stops. */
  async function running(persist: string, action: (url: string) => Promise<void>): Promise<string> {
    const port = await freePort()
    const program = startSluice(['--persist', persist, ...onlyPort(port)])
    await greeting(program)
    await action(`http://127.0.0.1:${port}`)
    await program.stop()
    return program.output()
  }
  const decide = (url: string) => fetch(`${url}/json`, { method: 'POST', body: decision })
  const look = (url: string, persist: string) => {
    const { GRID_TOKEN } = JSON.parse(readFileSync(join(persist, 'secrets.json'), 'utf8'))
    return fetch(`${url}/api/v1/simulation`, { headers: { authorization: `Bearer ${GRID_TOKEN}` } })
  }
  const readiness = async (url: string) => (await fetch(`${url}/readyz`)).json()

  it('goes on from a copy of its folder, and is not ready while a shard or the simulation is destroyed', async () => {
    const [persist, copy] = [join(parent, 'original'), join(parent, 'copy')]
    await running(persist, async (url) => {
      expect(await readiness(url)).toMatchObject({ status: 'ready' })
      expect(await (await decide(url)).json()).toMatchObject({ statuses: [{ limitRemaining: 99 }] })
      expect((await look(url, persist)).status).toBe(200)
    })
    const text = readFileSync(join(projectRoot, 'docs/storage.md'), 'utf8')
    const command = /^\$ (cp .*)$/m.exec(text)?.[1]?.replace('.sluice', persist).replace('COPY', copy) ?? ''
    expect(spawnSync('sh', ['-ec', command], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
    await running(copy, async (url) => {
      expect(await (await decide(url)).json()).toMatchObject({ statuses: [{ limitRemaining: 98 }] })
    })
    const destroyed = ['CounterObject', 'SimulationObject'].flatMap((name) => objectsOf(copy, name))
    expect(destroyed).toHaveLength(2)
    for (const file of destroyed) {
      for (const end of ['-wal', '-shm']) rmSync(`${file}${end}`, { force: true })
      writeFileSync(file, 'not a database'.padEnd(8_192, '.'))
    }
    const printed = await running(copy, async (url) => {
      expect([(await decide(url)).ok, (await look(url, copy)).status]).toEqual([false, 503])
      expect(await readiness(url)).toMatchObject({
        status: 'not_ready',
        parts: { ratelimit: false, grid: false, node: true },
      })
    })
    for (const file of destroyed) expect(printed).toContain(`${file} is not a database`)
  })

  /** The databases of a class, without the one in which the runtime keeps alarms. */
  function objectsOf(persist: string, name: string): readonly string[] {
    const folder = join(persist, 'state', `index-${name}`)
    const files = readdirSync(folder).filter((file) => /^[0-9a-f]{64}\.sqlite$/.test(file))
    return files.map((file) => join(folder, file))
  }
})
