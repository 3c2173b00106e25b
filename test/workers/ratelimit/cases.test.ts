/** The recorded cases over HTTP, against the built bundle: each with its own settings, storage and configuration. */

import { afterAll, beforeAll, describe, it } from 'vitest'
import {
  type CaseTarget,
  type RatelimitCase,
  ratelimitCases,
  replayCase,
} from '../../support/ratelimit-cases.ts'
import {
  buildService,
  type ServiceClient,
  type Services,
  startServices,
} from '../../support/ratelimit-servers.ts'

/** What this layer offers a case; a clock, a store dump and a fault switch need the service without its platform. */
const abilities = ['env', 'stats', 'reload', 'rlconfig', 'bad_initial_config']

/** Cases that need more than that, which `test/ratelimit/service.test.ts` replays instead. */
function canReplay({ needs, steps }: RatelimitCase): boolean {
  // A Worker's settings are fixed while it runs; a reload with other settings is a deployment.
  const changesSettings = steps.some((step) => step.op === 'reload' && step.env !== undefined)
  return needs.every((need) => abilities.includes(need)) && !changesSettings
}

const cases = ratelimitCases.filter(canReplay)
/** Services in one process: few enough for its memory, many enough to start seldom. */
const groupSize = 30
const groups = Array.from({ length: Math.ceil(cases.length / groupSize) }, (_, index) =>
  cases.slice(index * groupSize, (index + 1) * groupSize),
)

beforeAll(buildService)

describe.each(groups.map((group, index) => ({ group, index })))(
  'recorded cases over HTTP, group $index',
  ({ group }) => {
    let services: Services | undefined

    beforeAll(async () => {
      services = await startServices(group.map(({ env }) => env))
    })

    afterAll(() => services?.stop())

    it.each(group.map((one, place) => ({ one, place, name: one.name })))('$name', async ({ one, place }) => {
      const client = services?.clients[place]
      if (client === undefined) throw new Error('the service did not start')
      await replayCase(one, async ({ configYaml }) => ({
        target: targetOf(client),
        loadError: await client.load(configYaml),
      }))
    })
  },
)

function targetOf(client: ServiceClient): CaseTarget {
  return {
    async request(body) {
      const response = await client.decide(new TextEncoder().encode(body))
      return { status: response.status, body: await response.text() }
    },
    async healthcheck() {
      const response = await fetch(`${client.url}/healthcheck`)
      return { status: response.status, body: await response.text() }
    },
    reload: (configYaml) => client.load(configYaml),
    stats: () => client.stats(),
    rlconfig: async () => (await client.operate('/rlconfig')).text(),
  }
}
