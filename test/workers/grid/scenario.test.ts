/** Scenarios over HTTP: the library, one that is played, restarted and ended, its mistakes, and what trainees see of it. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { projectRoot } from '#bin/project.ts'
import { type RunningBundle, startBundle } from '../../support/bundle.ts'
import { createSimulations, type GridClient, gridClient, gridToken } from '../../support/grid-service.ts'

const names = ['drill-a', 'drill-b'] as const
const traineeToken = (name: string) => `trainee-of-${name}-0123456789`
const roles = names.map((simulation) => {
  return { name: simulation, token: traineeToken(simulation), simulation, right: 'trainee' }
})

/** Two scenarios that a control room cannot tell apart: a delay of nothing changes no value. */
const scenarioOf = (attack: 'DELAY' | 'REPLAY', title: string) => ({
  name: 'drill',
  title,
  summary: title,
  briefing: 'Watch.',
  seed: 3,
  start: '2026-03-02T08:00:00Z',
  duration: 4,
  network: 'case9',
  timeline: [
    {
      at: 1,
      text: title,
      attack,
      id: 'x',
      params: attack === 'DELAY' ? { delay_ms: 0 } : { buffer_size: 300 },
      hints: [title],
    },
    { at: 2, text: 'F', fault: { line: '4-5' } },
  ],
  questions: [{ ask: 'Which?', answer: attack, choices: ['DELAY', 'REPLAY'], of: { attack: 'x', member: 'type' } }],
})

let bundle: RunningBundle
let trainers: readonly GridClient[]
let trainees: readonly GridClient[]

beforeAll(async () => {
  bundle = await startBundle({ worker: 'grid', vars: { GRID_TOKEN: gridToken, GRID_ROLES: JSON.stringify(roles) } })
  await createSimulations(bundle.url, names)
  trainers = names.map((name) => gridClient(bundle.url, name))
  trainees = names.map((name) => gridClient(bundle.url, name, traineeToken(name)))
})
afterAll(() => bundle?.stop())

const [first, second] = [0, 1] as const
const clientAt = (clients: readonly GridClient[], at: number): GridClient => {
  const client = clients[at]
  if (client === undefined) throw new Error(`no client ${at}`)
  return client
}
const jsonOf = async (client: GridClient, path: string) => (await client.get(path)).json()

describe('POST /scenario', () => {
  it('plays a scenario of the library by its name, from rest where that is asked for', async () => {
    const trainer = clientAt(trainers, first)
    const { scenarios, count } = await jsonOf(trainer, '/scenarios')
    expect(count).toBe(scenarios.length)
    expect(scenarios.find(({ name }: { name: string }) => name === 'forged-command')).toMatchObject({
      title: 'Two lines open, and one of them by a forged command',
      network: 'case14',
      duration_s: 240,
    })
    const answer = await (await trainer.post('/scenario', { name: 'forged-command', start: false })).json()
    expect(answer).toMatchObject({ run: 'stopped', tick: 0, case: 'case14', seed: 2 })
    await trainer.step(500)
    const { name: played, scenario } = await jsonOf(trainer, '/scenario')
    expect(played).toBe('forged-command')
    expect(scenario).toMatchObject({ at_s: 50, duration_s: 240, finished: false })
    expect(scenario.timeline.slice(0, 2)).toMatchObject([
      { at_s: 45, kind: 'fault', passed: true },
      { at_s: 50, kind: 'check', passed: true },
    ])
    const { commands } = await jsonOf(trainer, '/export/session')
    expect(commands.map(({ kind }: { kind: string }) => kind)).toEqual(['clock', 'acknowledge', 'trip'])
  })

  it('restarts with the same bytes, and ends with another configuration', async () => {
    const trainer = clientAt(trainers, first)
    const play = async () => {
      await trainer.post('/sim/stop')
      const { tick } = await trainer.simulation()
      await trainer.step(40 - Number(tick))
      return Buffer.from(await trainer.download('/export/pcapng')).toString('base64')
    }
    await trainer.post('/scenario', { scenario: scenarioOf('REPLAY', 'R') })
    const before = await play()
    expect((await jsonOf(trainer, '/scenario')).scenario).toMatchObject({ finished: true, at_s: 4 })
    await trainer.post('/sim/reset')
    expect(await play()).toBe(before)
    await trainer.post('/sim/config', { seed: 4 })
    expect(await jsonOf(trainer, '/scenario')).toEqual({ name: null, scenario: null })
  })

  it('plays the document of another session to the same bytes, with its own times', async () => {
    const [source, copy] = [clientAt(trainers, first), clientAt(trainers, second)]
    const capture = async (client: GridClient) =>
      Buffer.from(await client.download('/export/pcapng')).toString('base64')
    await source.post('/sim/config', { case: 'case9', seed: 8, start_time: null })
    await source.post('/sim/stop')
    const { tick } = await source.simulation()
    await source.step(30 - Number(tick))
    await source.post('/attack/enable', { type: 'REPLAY', params: { buffer_size: 5 } })
    await source.post('/grid/breaker', { breaker: 'CB-4-5', closed: false })
    await source.step(30)
    const document = await jsonOf(source, '/export/session')
    await copy.post('/scenario', { session: document, start: false })
    await copy.step(60)
    expect(await capture(copy)).toBe(await capture(source))
    expect(await copy.simulation()).toMatchObject({ case: 'case9', seed: 8, tick: 60 })
  })

  it('plays a scenario on a stored network, and names one that is not stored', async () => {
    const trainer = clientAt(trainers, second)
    const scenario = {
      ...scenarioOf('DELAY', 'D'),
      network: 'lab',
      timeline: [{ at: 1, text: 'L', operator: { load: 0.9 } }],
    }
    const play = (network: string) =>
      fetch(`${trainer.base}/scenario`, {
        method: 'POST',
        headers: { authorization: `Bearer ${gridToken}` },
        body: JSON.stringify({ scenario: { ...scenario, network, questions: [] }, start: false }),
      })
    const file = readFileSync(join(projectRoot, 'test/vectors/networks/cigre_mv.json'))
    const stored = { method: 'PUT', headers: { authorization: `Bearer ${gridToken}` }, body: file }
    expect((await fetch(`${bundle.url}/api/v1/networks/lab`, stored)).status).toBe(200)
    expect((await play('lab')).status).toBe(200)
    await trainer.step(20)
    expect(await trainer.simulation()).toMatchObject({ case: 'lab', tick: 20 })
    const missed = await play('lob')
    expect([missed.status, await missed.text()]).toEqual([404, expect.stringContaining('Did you mean \\"lab\\"?')])
  })

  it('stops by itself at the end', async () => {
    const trainer = clientAt(trainers, first)
    await trainer.post('/sim/speed', { speed: 60 })
    await trainer.post('/scenario', { scenario: scenarioOf('DELAY', 'D') })
    await expect.poll(async () => (await trainer.simulation()).run, { timeout: 20_000 }).toBe('stopped')
    expect(await trainer.simulation()).toMatchObject({ tick: 40 })
    await trainer.post('/sim/speed', { speed: 1 })
  })

  it.each([
    [{}, 400, 'Cannot play a scenario: expected exactly one of name, scenario and session'],
    [
      { name: 'forged-comand' },
      404,
      'Cannot find the scenario "forged-comand": it is not in the library, did you mean "forged-command"?',
    ],
    [{ scenario: { ...scenarioOf('DELAY', 'D'), titel: 'x' } }, 400, 'unknown property "titel", did you mean "title"?'],
    [
      { scenario: { ...scenarioOf('DELAY', 'D'), timeline: [{ at: 9, text: 'x', fault: { line: '4-5' } }] } },
      400,
      'timeline[0].at is 9, expected 0 to 3.9',
    ],
    [{ session: { format: 'other' } }, 400, 'Cannot read the session "session": '],
    [{ name: 'forged-command', session: {} }, 400, 'expected exactly one of name, scenario and session'],
    [{ nam: 'x' }, 400, 'unknown property "nam", did you mean "name"?'],
  ])('answers %j with %i and what is wrong, and leaves the session', async (body, status, message) => {
    const trainer = clientAt(trainers, first)
    const { session_id: before } = await trainer.simulation()
    const headers = { authorization: `Bearer ${gridToken}` }
    const response = await fetch(`${trainer.base}/scenario`, { method: 'POST', headers, body: JSON.stringify(body) })
    expect([response.status, await response.text()]).toEqual([
      status,
      expect.stringContaining(message.replaceAll('"', '\\"')),
    ])
    expect((await trainer.simulation()).session_id).toBe(before)
  })
})

describe('GET /scenario', () => {
  it('gives a trainee the briefing, and the questions at the end, alike for any attack', async () => {
    await clientAt(trainers, first).post('/scenario', { scenario: scenarioOf('DELAY', 'D'), start: false })
    await clientAt(trainers, second).post('/scenario', { scenario: scenarioOf('REPLAY', 'R'), start: false })
    const read = async (at: number, path: string) =>
      (await (await clientAt(trainees, at).get(path)).text()).replace(/"(?:session_id|uptime_s)": [^,]*/g, '')
    for (const at_s of [2, 4]) {
      for (const trainer of trainers) await trainer.step(20)
      for (const path of ['/scenario', '/simulation', '/grid/view']) {
        expect(await read(second, path)).toBe(await read(first, path))
      }
      const questions = at_s === 4 ? [{ ask: 'Which?', choices: ['DELAY', 'REPLAY'] }] : []
      expect(JSON.parse(await read(first, '/scenario'))).toEqual({
        scenario: { briefing: 'Watch.', at_s, duration_s: 4, finished: at_s === 4, questions },
      })
    }
  })

  it('is all of it that a trainee has', async () => {
    const statusOf = async (path: string, init = {}) => {
      const trainee = clientAt(trainees, first)
      const headers = { authorization: `Bearer ${traineeToken(names[first])}` }
      return (await fetch(`${trainee.base}${path}`, { headers, ...init })).status
    }
    expect(await statusOf('/scenarios')).toBe(403)
    expect(await statusOf('/scenario', { method: 'POST', body: '{"name":"forged-command"}' })).toBe(403)
  })
})

describe('POST /scenario/answers', () => {
  it('keeps the answers of a trainee for the debrief of the trainer, the last ones, and tells trainees nothing', async () => {
    const [trainer, trainee] = [clientAt(trainers, first), clientAt(trainees, first)]
    const statusOf = (client: GridClient, answers: unknown) =>
      fetch(`${client.base}/scenario/answers`, {
        method: 'POST',
        headers: { authorization: `Bearer ${client === trainee ? traineeToken(names[0]) : gridToken}` },
        body: JSON.stringify({ answers }),
      })
    await trainer.post('/scenario', { scenario: scenarioOf('REPLAY', 'R'), start: false })
    expect((await statusOf(trainee, ['REPLAY'])).status).toBe(409)
    await trainer.step(40)
    const wrong = await statusOf(trainee, ['DELAY'])
    expect([wrong.status, await wrong.json()]).toEqual([200, { name: 'drill-a', answers: ['DELAY'] }])
    const right = await statusOf(trainee, ['REPLAY'])
    expect([right.status, await right.json()]).toEqual([200, { name: 'drill-a', answers: ['REPLAY'] }])
    await statusOf(trainer, ['DELAY'])
    expect((await statusOf(trainee, ['a', 'b'])).status).toBe(400)
    expect((await statusOf(trainee, ['x'.repeat(501)])).status).toBe(400)
    expect((await jsonOf(trainer, '/scenario')).scenario.handed_in).toEqual([
      { name: 'drill-a', answers: ['REPLAY'] },
      { name: 'operator', answers: ['DELAY'] },
    ])
    expect(JSON.stringify(await jsonOf(trainee, '/scenario'))).not.toContain('handed_in')
    await trainer.post('/sim/reset')
    expect((await jsonOf(trainer, '/scenario')).scenario.handed_in).toEqual([])
    await trainer.post('/sim/config', {})
    expect((await statusOf(trainee, ['REPLAY'])).status).toBe(409)
  })
})
