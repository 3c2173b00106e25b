/** Beside the contract: simulations by name, their clock, and orders of an operator. */

import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { type Body, bearer, namedSimulations, patience } from '../../support/named-simulations.ts'

const { ask, bundle, create } = namedSimulations()

describe('simulations by name', () => {
  it('are apart from each other and from the default one', async () => {
    await ask('one', '/sim/config', { case: 'case9', seed: 4 })
    await ask('two', '/sim/config', { case: 'case39' })
    const cases = await Promise.all(['one', 'two'].map(async (name) => (await ask(name, '/simulation')).body.case))
    const first = await fetch(`${bundle.url}/api/v1/simulation`, { headers: bearer })
    expect([...cases, ((await first.json()) as Body).case]).toEqual(['case9', 'case39', 'case14'])
  })

  it.each(['Upper', 'a..b', '-a', 'x'.repeat(70), 'a%2Fb'])('cannot be called %s', async (name) => {
    expect((await fetch(`${bundle.url}/simulations/${name}/api/v1/status`)).status).toBe(404)
  })
})

describe('the clock', () => {
  it('starts with the first request that has a token, and status reports it', async () => {
    await create('wake')
    const status = async () => (await (await fetch(`${bundle.url}/simulations/wake/api/v1/status`)).json()) as Body
    expect((await status()).sim_running).toBe(false)
    await ask('wake', '/simulation')
    expect((await status()).sim_running).toBe(true)
    await ask('wake', '/sim/stop', {})
    expect((await status()).sim_running).toBe(false)
    await ask('wake', '/simulation')
    expect((await status()).sim_running).toBe(false)
  })

  it('pauses without a listener and wakes with the next request, with the pause marked', async () => {
    await ask('pause', '/sim/config', { auto_pause_s: 1 })
    await ask('pause', '/simulation')
    // The status has no token, so asking for it does not keep the simulation awake.
    const status = async () => (await fetch(`${bundle.url}/simulations/pause/api/v1/status`)).json()
    await expect.poll(status, patience).toMatchObject({ sim_running: false, run: 'paused' })
    // A pause shorter than a step leaves no mark.
    await sleep(1_000)
    const marks = async () => (await ask('pause', '/incidents?limit=0&proto=SIM')).body.incidents
    await expect
      .poll(async () => (await marks())[0], patience)
      .toMatchObject({ status: 'clean', description: expect.stringMatching(/^Paused from /) })
  })

  it('steps while stopped, refuses to while it runs, and runs at the given speed', async () => {
    await ask('steps', '/sim/stop', {})
    expect((await ask('steps', '/sim/step', { steps: 25 })).body.tick).toBe(25)
    expect((await ask('steps', '/sim/start', {})).body.sim_running).toBe(true)
    expect((await ask('steps', '/sim/step', { steps: 1 })).status).toBe(409)
    await ask('steps', '/sim/speed', { speed: 20 })
    const tick = async () => (await ask('steps', '/simulation')).body.tick
    await expect.poll(tick, patience).toBeGreaterThan(200)
  })

  it.each([
    ['/sim/speed', { speed: 0 }],
    ['/sim/speed', { speed: 'fast' }],
    ['/sim/step', { steps: 601 }],
    ['/sim/config', { case: 'case15' }],
    ['/sim/config', { sed: 1 }],
    ['/sim/config', { pmu_rate: 7 }],
    ['/sim/config', '[1]'],
    ['/sim/config', '{'],
    ['/grid/breaker', { breaker: 'CB-9-9', closed: false }],
    ['/grid/load', { scale: 9 }],
    ['/sim/reset', { seed: 9 }],
    ['/sim/reset', '{'],
  ])('answers %s with %j by 400 and a sentence', async (path, body) => {
    await ask('bad', '/sim/stop', {})
    const answer = await ask('bad', path, body)
    expect(answer.status).toBe(400)
    expect(answer.body.error).toMatch(/^Cannot /)
  })

  it('lets an operator switch and scale', async () => {
    await ask('operator', '/sim/stop', {})
    await ask('operator', '/grid/breaker', { breaker: 'CB-1-5', closed: false })
    await ask('operator', '/grid/load', { scale: 0.9 })
    await ask('operator', '/sim/step', { steps: 20 })
    const { grid } = (await ask('operator', '/topology')).body
    expect(grid.breakers.find(({ id }: Body) => id === 'CB-1-5').state).toBe('open')
    const { truth, estimate } = (await ask('operator', '/grid/view')).body
    expect(truth.load_mw).toBeLessThan(240)
    expect(estimate === null || estimate.objective > 0).toBe(true)
  })

  it('lets an operator end a blackout: refused, black start, machines, load', async () => {
    const at = (path: string, body: object) => ask('blackout', path, body)
    await at('/sim/config', { load_noise: 0, load_speed: 0 })
    await at('/sim/stop', {})
    const wait = (steps: number) => at('/sim/step', { steps })
    const served = async () => (await ask('blackout', '/grid/view')).body.truth.served_mw
    for (const bus of [1, 2, 3]) await at('/grid/generator', { bus, connected: false })
    await wait(20)
    expect(await served()).toBe(0)
    const refused = [
      ['/grid/generator', { bus: 3, connected: true }],
      ['/grid/restore', {}],
      ['/grid/generator', { bus: 1, p_mw: 9999 }],
    ] as const
    for (const [path, body] of refused) {
      const { status, body: answer } = await at(path, body)
      expect([status, answer.error]).toEqual([409, expect.stringMatching(/^Cannot .*: /)])
    }
    expect((await at('/grid/generator', { bus: 4, connected: true })).status).toBe(400)
    expect((await at('/grid/generator', { bus: 1, connected: true })).status).toBe(200)
    await wait(100)
    for (const bus of [2, 3]) expect((await at('/grid/generator', { bus, connected: true })).status).toBe(200)
    for (let part = 0; part < 5; part++) {
      await at('/grid/restore', { share: 0.2 })
      await wait(300)
    }
    const { truth } = (await ask('blackout', '/grid/view')).body
    expect(truth.served_mw).toBeCloseTo(truth.load_mw, 1)
  })

  it('moves the tap of a transformer by order, refuses a line, and shows the position to every right', async () => {
    const at = (path: string, body?: object) => ask('taps', path, body)
    await at('/sim/config', { load_noise: 0, load_speed: 0 })
    await at('/sim/stop', {})
    const voltage = async () => (await at('/topology')).body.grid.buses[8].vm_pu
    const before = await voltage()
    expect((await at('/grid/tap', { breaker: 'CB-4-9', position: -4 })).body).toMatchObject({
      kind: 'tap',
      position: -4,
    })
    await at('/sim/step', { steps: 1 })
    expect(await voltage()).toBeGreaterThan(before + 0.004)
    const taps = (await at('/topology')).body.grid.branches.filter((branch: Body) => branch.tap !== undefined)
    expect(taps.map(({ name, tap }: Body) => [name, tap])).toEqual([
      ['4-7', 0],
      ['4-9', -4],
      ['5-6', 0],
    ])
    const line = await at('/grid/tap', { breaker: 'CB-1-2', position: 1 })
    const tapped = 'CB-4-7, CB-4-9, CB-5-6'
    const reason = `CB-1-2 has no transformer with a tap; those of ${tapped} have one`
    expect([line.status, line.body.error]).toEqual([409, `Cannot move a tap: ${reason}`])
    expect((await at('/grid/tap', { breaker: 'CB-4-99', position: 1 })).body.hint).toContain('Did you mean "CB-4-9"?')
  })

  it('joins two islands in synchronism only, and says by how much they are out of step', async () => {
    const at = (path: string, body: object) => ask('islands', path, body)
    await at('/sim/config', { load_noise: 0, load_speed: 0, load_scale: 0.5, pickup: 'off' })
    await at('/sim/stop', {})
    for (const breaker of ['CB-1-2', 'CB-2-3', 'CB-2-4', 'CB-2-5'])
      await at('/grid/breaker', { breaker, closed: false })
    await at('/sim/step', { steps: 30 })
    const refused = await at('/grid/breaker', { breaker: 'CB-1-2', closed: true })
    expect(refused.status).toBe(409)
    expect(refused.body.error).toMatch(
      /^Cannot switch a breaker: the sides differ by .* deg, .* Hz and .* pu, expected/,
    )
    expect((await at('/grid/join', { breaker: 'CB-1-2' })).body).toMatchObject({ closing: 'synchronized' })
    await at('/sim/step', { steps: 600 })
    await at('/sim/step', { steps: 600 })
    const { grid } = (await ask('islands', '/topology')).body
    expect(grid.breakers.find(({ id }: Body) => id === 'CB-1-2').state).toBe('closed')
  })
})
