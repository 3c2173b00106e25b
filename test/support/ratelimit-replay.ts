/** Replays recorded cases against running services: which cases can be, and a service for each of them. */

import { afterAll, beforeAll, describe, it } from 'vitest'
import { type CaseTarget, type RatelimitCase, ratelimitCases, replayCase } from './ratelimit-cases.ts'
import { buildService, type ServiceClient, type Services, startServices } from './ratelimit-servers.ts'

/** Abilities of a running service for a case; a clock, a store dump and a fault switch need one without its platform. */
const abilities = ['env', 'stats', 'reload', 'rlconfig', 'bad_initial_config']

/** Cases that need more than that, which `test/ratelimit/service.test.ts` replays instead. */
function canReplay({ needs, steps }: RatelimitCase): boolean {
  // A Worker's settings are fixed while it runs; a reload with other settings is a deployment.
  const changesSettings = steps.some((step) => step.op === 'reload' && step.env !== undefined)
  return needs.every((need) => abilities.includes(need)) && !changesSettings
}

/** The cases that need only configuration and settings. */
export const replayableCases: readonly RatelimitCase[] = ratelimitCases.filter(canReplay)

/** A case without what leases make an estimate of: how much of a limit remains. */
export function withoutRemaining(one: RatelimitCase): RatelimitCase {
  return JSON.parse(hideRemaining(JSON.stringify(one)))
}

/** The text of an answer without `limitRemaining`, and with "n" for the values of headers that say it. */
export function hideRemaining(text: string): string {
  return text
    .replace(/\\?"limitRemaining\\?":\d+,/g, '')
    .replace(/,\\?"limitRemaining\\?":\d+/g, '')
    .replace(/("key":"[^"]*remaining","value":")\d+/gi, '$1n')
}

/** Services in one process: few enough for its memory, many enough to start seldom. */
const groupSize = 30

/** A target of one case, and how it is let go. */
export interface OpenTarget {
  readonly target: CaseTarget & Required<Pick<CaseTarget, 'reload'>>
  close?(): Promise<void>
}

/**
 * Declares one test for every case, each on a new service with its own settings, storage and configuration.
 *
 * @param vars - settings of every service, beside those of its case.
 */
export function testCases(
  title: string,
  cases: readonly RatelimitCase[],
  open: (client: ServiceClient, runtimeUrl: string) => OpenTarget | Promise<OpenTarget>,
  vars: Readonly<Record<string, string>> = {},
): void {
  const groups = Array.from({ length: Math.ceil(cases.length / groupSize) }, (_, index) => ({
    index,
    group: cases.slice(index * groupSize, (index + 1) * groupSize),
  }))
  beforeAll(buildService)
  describe.each(groups)(`${title}, group $index`, ({ group }) => {
    let services: Services | undefined

    beforeAll(async () => {
      services = await startServices(group.map(({ env }) => ({ ...vars, ...env })))
    })

    afterAll(() => services?.stop())

    // Each case has a service: they mostly wait, and not for each other.
    it.concurrent.each(group.map((one, place) => ({ one, place, name: one.name })))('$name', async ({ one, place }) => {
      const client = services?.clients[place]
      if (client === undefined) throw new Error('the service did not start')
      const { target, close } = await open(client, services?.runtimeUrls[place] ?? '')
      try {
        await replayCase(one, async ({ configYaml }) => ({ target, loadError: await target.reload(configYaml) }))
      } finally {
        await close?.()
      }
    })
  })
}

/** Everything of a target but its way of asking for a decision. */
export function operatorTarget(client: ServiceClient): Omit<OpenTarget['target'], 'request'> {
  return {
    async healthcheck() {
      const response = await fetch(`${client.url}/healthcheck`)
      return { status: response.status, body: await response.text() }
    },
    reload: (configYaml) => client.load(configYaml),
    stats: () => client.stats(),
    rlconfig: async () => (await client.operate('/rlconfig')).text(),
  }
}
