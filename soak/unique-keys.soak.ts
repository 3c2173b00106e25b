/**
 * Another key for every request, across the end of the window: no caller can make the runtime die.
 *
 * Two hundred thousand keys with limits of a minute, then the time in which every counter expires and is cleaned up.
 */

import { askUniqueKeys } from '#test/soak/unique-keys.ts'
import { gatherViolations, grouped, type Soak, scaled } from './outcome.ts'

export const run: Soak = async (scale) => {
  const keys = scaled(200_000, scale)
  const plan = { keys, width: 1, unit: 'minute', seconds: 3_600, settleSeconds: 150 } as const
  const { answers, refusals, askedSeconds, settling, isAlive, readings, output } = await askUniqueKeys(plan)
  const violations = gatherViolations()
  const admitted = answers[200] ?? 0
  if (admitted !== keys) {
    violations.add(`${grouped(admitted)} of ${grouped(keys)} keys were answered 200: ${JSON.stringify(answers)}`)
  }
  for (const refusal of refusals) violations.add(refusal)
  if (settling.answered !== settling.asked) {
    violations.add(`while the windows ended, ${settling.answered} of ${settling.asked} requests were answered`)
  }
  if (!isAlive) violations.add(`the runtime ended: ${output.slice(-500)}`)
  const last = readings.at(-1)
  return {
    done: `${grouped(keys)} keys in ${askedSeconds.toFixed(0)} s`,
    facts: [
      `memory of the runtime at most ${Math.max(...readings.map(({ mebibytes }) => mebibytes)).toFixed(0)} MiB`,
      `${last?.files} files, ${last?.megabytes.toFixed(0)} MB on disk`,
      `slowest answer while the windows ended ${settling.slowestMs.toFixed(0)} ms`,
    ],
    violations: violations.list(),
  }
}
