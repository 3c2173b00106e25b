/** The recorded answers of the reference service, replayed over `/json` against the built Worker. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildService, type Services, startServices } from '../../support/ratelimit-servers.ts'
import { comparable, traceSets } from '../../support/ratelimit-traces.ts'

/** One service for every configuration, because a Worker may go on with the rules it has for a moment. */
const runs = traceSets.flatMap(({ name, vars, runs: all }) =>
  all.map((run, index) => ({ ...run, vars, title: `set ${name}, configuration ${index}` })),
)

const today = () => Math.floor(Date.now() / 86_400_000)

describe('POST /json answers as the reference did', () => {
  let services: Services | undefined

  beforeAll(async () => {
    await buildService()
    services = await startServices(runs.map(({ vars }) => vars))
  })

  afterAll(() => services?.stop())

  it.for(runs.map((run, place) => ({ ...run, place })))('$title', async ({ files, steps, place }, { skip }) => {
    const day = today()
    const client = services?.clients[place]
    if (client === undefined) throw new Error('the service did not start')
    expect(await client.load(Object.values(files))).toBeNull()
    for (const [request, status, body] of steps) {
      const response = await client.decide(JSON.stringify(request))
      const text = await response.text()
      if (today() !== day) skip('a day ended, and with it the windows of the counters')
      const expected = status === 400 ? 'Bad Request\n' : body
      expect({ request, status: response.status, body: comparable(text) }).toEqual({
        request,
        status,
        body: expected,
      })
    }
  })
})
