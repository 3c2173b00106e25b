/** Cost of the grid's physics by call and case, with the plain dense method beside it. */

import { prepareFit } from '#grid/estimation/fit-problem.ts'
import { evaluateMeasurements } from '#grid/estimation/measurements.ts'
import { estimateState } from '#grid/estimation/state-estimation.ts'
import { explainedVariances, fitState } from '#grid/estimation/weighted-least-squares.ts'
import { caseNames, findCase } from '#grid/network/cases/catalogue.ts'
import { solvePowerFlow } from '#grid/power-flow/power-flow.ts'
import { fullMeasurementSet } from '#test/support/grid-measurements.ts'
import { scaleLoads } from '#test/support/scale-loads.ts'

const budgetMs = 300

/** The median of batches, which a pause of the machine does not move. */
function medianMs(run: (turn: number) => unknown): number {
  for (let turn = 0; turn < 50; turn++) run(turn)
  const times: number[] = []
  const end = performance.now() + budgetMs
  for (let turn = 0; performance.now() < end; turn++) {
    const start = performance.now()
    run(turn)
    times.push(performance.now() - start)
  }
  times.sort((left, right) => left - right)
  return times[times.length >> 1] ?? Number.NaN
}

function measureCase(name: (typeof caseNames)[number]) {
  const network = findCase(name)
  const [low, high] = [network, scaleLoads(network, 1.003)]
  const solved = [solvePowerFlow(low), solvePowerFlow(high)]
  // Every turn starts from the solution of the other load, as a simulation's next step does.
  const warm = (solver: 'sparse' | 'dense') => (turn: number) => {
    const start = solved[(turn + 1) % 2]
    return solvePowerFlow(turn % 2 === 0 ? low : high, { solver, ...(start === undefined ? {} : { start }) })
  }
  const points = fullMeasurementSet(network)
  const truth = solvePowerFlow(network)
  const exact = evaluateMeasurements(network, points, truth)
  // A fixed ripple instead of noise: the same in every run, and small enough that nothing is removed.
  const scan = points.map((point, index) => ({
    ...point,
    value: (exact[index] ?? 0) + point.sigma * Math.sin(7 * index),
  }))
  const problem = prepareFit(network, scan)
  const fit = fitState(problem, scan, new Set(), truth)
  return {
    flat: medianMs(() => solvePowerFlow(network)),
    warm: medianMs(warm('sparse')),
    dense: medianMs(warm('dense')),
    fit: medianMs(() => fitState(prepareFit(network, scan), scan, new Set(), truth)),
    residuals: medianMs(() => explainedVariances(problem, scan, new Set(), fit)),
    estimate: medianMs(() => estimateState(network, scan, { start: truth })),
  }
}

const columns = ['flat', 'warm', 'dense', 'fit', 'residuals', 'estimate'] as const
const measured = caseNames.map((name) => ({ name, times: measureCase(name) }))
const smallest = measured.find(({ name }) => name === 'case14')?.times

console.log(
  '| case | power flow flat | warm | warm, dense | dense / sparse | fit | residual variances | whole estimate | warm / case14 |',
)
console.log('| --- | --- | --- | --- | --- | --- | --- | --- | --- |')
for (const { name, times } of measured) {
  const [flat, warm, dense, fit, residuals, estimate] = columns.map((column) => `${times[column].toFixed(3)} ms`)
  const ratio = (times.dense / times.warm).toFixed(1)
  const growth = (times.warm / (smallest?.warm ?? Number.NaN)).toFixed(1)
  console.log(`| ${name} | ${flat} | ${warm} | ${dense} | ${ratio} | ${fit} | ${residuals} | ${estimate} | ${growth} |`)
}
