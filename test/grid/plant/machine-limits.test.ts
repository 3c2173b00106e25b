/** The limits of the running grid: those of the case, and every case starts at its published solution. */

import { expect, it } from 'vitest'
import { createRandom } from '#base/random.ts'
import { defaultConfiguration } from '#grid/configuration.ts'
import { caseNames, findCase } from '#grid/network/cases/catalogue.ts'
import { limitedGenerators } from '#grid/plant/machine-limits.ts'
import { createPlant, operateBreaker, stepPlant } from '#grid/plant/plant.ts'
import { solvePowerFlow } from '#grid/power-flow/power-flow.ts'

const configuration = { ...defaultConfiguration, load_noise: 0, load_speed: 0, reactive_limits: 'case' as const }

it.each(caseNames)('limitedGenerators() starts %s at its published solution, with no machine at a limit', (name) => {
  const { solution } = createPlant({ ...configuration, case: name })
  expect(solution.limited).toEqual([])
  expect(solution.vmPu).toEqual(solvePowerFlow(findCase(name)).vmPu)
})

it('limitedGenerators() moves only limits that the published solution is beyond', () => {
  const moved = caseNames.flatMap((name) => {
    const base = findCase(name)
    const units = limitedGenerators(base)
    return base.generators.flatMap(({ bus, qMaxMvar, qMinMvar }, index) =>
      units[index]?.qMaxMvar === qMaxMvar && units[index]?.qMinMvar === qMinMvar ? [] : [`${name} ${bus}`],
    )
  })
  expect(moved).toEqual(['case14 1', 'case39 37', ...[19, 32, 34, 92, 103, 105].map((bus) => `case118 ${bus}`)])
})

it('a running grid at 1.3 times its load has machines at their limits and lower voltages, unless they are off', () => {
  const voltageAfter = (reactive_limits: 'case' | 'off') => {
    const over = { ...configuration, reactive_limits, pickup: 'off' as const }
    const plant = createPlant(over)
    plant.loadScale = 1.3
    operateBreaker(plant, 10, false)
    for (let step = 1; step <= 40; step++) stepPlant(plant, over, { step, random: createRandom(1, 'load') })
    return [plant.solution.limited.length > 0, plant.solution.vmPu[13] ?? 0] as const
  }
  const [isLimited, low] = voltageAfter('case')
  const [isFree, high] = voltageAfter('off')
  expect([isLimited, isFree]).toEqual([true, false])
  expect(high - low).toBeGreaterThan(0.03)
})
