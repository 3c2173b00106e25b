/** Which answered requests begin the telemetry of a simulation. */

import { describe, expect, it } from 'vitest'
import { followSimulation } from '#workers/telemetry/follow.ts'

/** Gives the names of the simulations that requests begin to publish. */
function followed(asked: readonly (readonly [method: string, path: string, status: number])[], seconds = 1) {
  const names: string[] = []
  for (const [method, path, status] of asked) {
    void followSimulation({ method, path }, new Response(null, { status }), seconds, (name) => ({
      async follow() {
        names.push(name)
      },
    }))
  }
  return names
}

describe('followSimulation()', () => {
  it('follows the simulation of a request that the grid let in', () => {
    expect(
      followed([
        ['GET', '/simulations/one/api/v1/incidents', 200],
        ['POST', '/simulations/two/api/v1/sim/start', 200],
        ['HEAD', '/simulations/three/api/v1/events', 200],
      ]),
    ).toEqual(['one', 'two', 'three'])
  })

  it('follows nothing without a token: no preflight, no status, no refusal, with any name', () => {
    expect(
      followed([
        ['OPTIONS', '/simulations/preflight/api/v1/events', 204],
        ['OPTIONS', '/api/v1/events', 204],
        ['GET', '/simulations/status/api/v1/status', 200],
        ['HEAD', '/simulations/status/api/v1/status//', 200],
        ['GET', '/simulations/refused/api/v1/events', 401],
        ['GET', '/simulations/absent/api/v1/events', 404],
        ['GET', '/', 200],
      ]),
    ).toEqual([])
  })

  it('follows nothing where there is no telemetry, and a simulation once in an interval', () => {
    expect(followed([['GET', '/simulations/off/api/v1/incidents', 200]], 0)).toEqual([])
    const asked = ['GET', '/simulations/often/api/v1/incidents', 200] as const
    expect(followed([asked, asked, asked], 3_600)).toEqual(['often'])
  })
})
