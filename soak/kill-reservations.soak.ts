/** The service dies under load again and again: no reservation is settled twice or lost, no holder is beyond its limit. */

import type { Durability } from '#ratelimit/durability/stored-window.ts'
import { callerRules, mostAhead, startReservationCallers } from '#test/support/reservation-callers.ts'
import { eventually } from '#test/support/wait.ts'
import { grouped, type Outcome, type Soak, scaled } from './outcome.ts'
import { prepareService } from './service.ts'

export const run: Soak = async (scale) => {
  const outcomes: Outcome[] = []
  for (const durability of ['strict', 'durable', 'relaxed'] as const)
    outcomes.push(await killWithReservations(scaled(50, scale), durability))
  return {
    done: outcomes.map(({ done }) => done).join(', '),
    facts: outcomes.flatMap(({ facts }) => facts),
    violations: outcomes.flatMap(({ violations }) => violations),
  }
}

async function killWithReservations(kills: number, durability: Durability): Promise<Outcome> {
  const vars = { COUNTER_DURABILITY: durability }
  const service = await prepareService({ rules: { 'kill.yaml': callerRules }, vars })
  await service.start()
  const callers = startReservationCallers(() => service.url, 16)
  for (let kill = 0; kill < kills; kill++) {
    const enough = callers.settled() + 100
    await eventually(
      'further settlements',
      () => callers.settled() > enough,
      () => `${callers.settled()} settled`,
    )
    if (kill % 2 === 0) {
      await service.kill()
      await service.start()
    } else service.killRuntime()
  }
  const { costs, settled, acquired, violations } = await callers.stop()
  const [used, held] = [await callers.used('user'), await callers.used('held')]
  await service.stop()
  return {
    done: `${kills} kills with ${durability}`,
    facts: [`${grouped(settled)} reservations settled`, `${grouped(acquired)} places held`],
    violations: [
      ...violations,
      ...(used >= costs && used - costs <= mostAhead(durability)
        ? []
        : [`${used} hits are counted, the costs are ${costs} (${durability})`]),
      ...(held === 0 ? [] : [`${held} places are held by none`]),
    ],
  }
}
