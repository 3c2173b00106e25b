/** The recorded answers of the reference service, replayed over `/json`: by the built Worker, and by fronts that decide. */

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startDecidingFront } from '../../support/deciding-front.ts'
import { hideRemaining } from '../../support/ratelimit-replay.ts'
import { buildService, type Services, startServices } from '../../support/ratelimit-servers.ts'
import { comparable, traceSets } from '../../support/ratelimit-traces.ts'
import { sweep } from '../../support/sweep.ts'

/** One service for every configuration, because a Worker may go on with the rules it has for a moment. */
const every = traceSets.flatMap(({ name, vars, runs: all }) =>
  all.map((run, index) => ({ ...run, vars, title: `set ${name}, configuration ${index}` })),
)

/** A third of them in the gate: decisions from leases differ from others in how much remains, which is not compared. */
const some = every.filter(
  (_, at) => at % Math.ceil(every.length / sweep(every.length, Math.ceil(every.length / 3))) === 0,
)

const today = () => Math.floor(Date.now() / 86_400_000)

interface Way {
  readonly title: string
  readonly vars: Readonly<Record<string, string>>
  readonly isFront: boolean
  readonly runs: typeof every
}

const ways: readonly Way[] = [
  { title: 'by the service', vars: {}, isFront: false, runs: every },
  { title: 'by a front', vars: {}, isFront: true, runs: every },
  { title: 'by a front with leases', vars: { LEASES: 'on' }, isFront: true, runs: some },
]

beforeAll(buildService)

describe.each(ways)('POST /json answers $title as the reference did', ({ vars: more, isFront, runs }) => {
  let services: Services | undefined
  /** With leases, how much remains is an estimate. */
  const shown = 'LEASES' in more ? hideRemaining : (text: string) => text

  beforeAll(async () => {
    services = await startServices(runs.map(({ vars }) => ({ ...vars, ...more })))
  })

  afterAll(() => services?.stop())

  it.for(runs.map((run, place) => ({ ...run, place })))('$title', async ({ files, steps, place }, { skip }) => {
    const day = today()
    const front = isFront ? await startDecidingFront(services?.runtimeUrls[place] ?? '') : undefined
    onTestFinished(() => front?.stop())
    const client = front?.client ?? services?.clients[place]
    if (client === undefined) throw new Error('the service did not start')
    expect(await client.load(Object.values(files))).toBeNull()
    for (const [request, status, body] of steps) {
      const response = await client.decide(JSON.stringify(request))
      const text = shown(await response.text())
      if (today() !== day) skip('a day ended, and with it the windows of the counters')
      const recorded = typeof body === 'string' ? body : JSON.parse(shown(JSON.stringify(body)))
      const expected = status === 400 ? 'Bad Request\n' : recorded
      expect({ request, status: response.status, body: comparable(text) }).toEqual({ request, status, body: expected })
    }
  })
})
