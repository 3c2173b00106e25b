/** Cost of the grid's physics by call and case, with the plain dense method and lightsim2grid beside it. */

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { projectRoot } from '#bin/project.ts'
import { prepareFit } from '#grid/estimation/fit-problem.ts'
import { evaluateMeasurements } from '#grid/estimation/measurements.ts'
import { estimateState } from '#grid/estimation/state-estimation.ts'
import { explainedVariances, fitState } from '#grid/estimation/weighted-least-squares.ts'
import { caseNames, findCase } from '#grid/network/cases/catalogue.ts'
import { solvePowerFlow } from '#grid/power-flow/power-flow.ts'
import { fullMeasurementSet } from '#test/support/grid-measurements.ts'
import { scaleLoads } from '#test/support/scale-loads.ts'
import { median, printTable } from './report.ts'

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

/** A Python with lightsim2grid and pandapower from PyPI. */
const python = process.env.LIGHTSIM_PYTHON ?? 'python3'
const peerCases = ['case14', 'case39', 'case118'] as const
const [peerRounds, peerRuns] = [5, 2_000]

type PeerTimes = Readonly<Record<string, { readonly flat: number; readonly warm: number }>>

function askPeer(): PeerTimes | null {
  const script = join(projectRoot, 'bench/peers/lightsim.py')
  const { status, stdout } = spawnSync(python, [script, ...peerCases], { encoding: 'utf8' })
  return status === 0 ? JSON.parse(stdout.trim().split('\n').at(-1) ?? '') : null
}

/** Processor time of all threads for one call, as the peer measures its own. */
function processorMs(run: (turn: number) => unknown): number {
  for (let turn = 0; turn < peerRuns / 10; turn++) run(turn)
  const before = process.cpuUsage()
  for (let turn = 0; turn < peerRuns; turn++) run(turn)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000 / peerRuns
}

function measureBesidePeer(name: (typeof peerCases)[number]) {
  const loads = [findCase(name), scaleLoads(findCase(name), 1.003)] as const
  let latest = solvePowerFlow(loads[0])
  const warm = (turn: number) => {
    latest = solvePowerFlow(turn % 2 === 0 ? loads[0] : loads[1], { start: latest })
  }
  return { flat: processorMs(() => solvePowerFlow(loads[0])), warm: processorMs(warm) }
}

const rows = peerCases.map((name) => ({ name, flat: [] as number[], warm: [] as number[], text: ['', ''] }))
for (let round = 0; round < peerRounds; round++) {
  const peer = askPeer()
  if (peer === null) break
  for (const row of rows) {
    const [own, theirs] = [measureBesidePeer(row.name), peer[row.name]]
    if (theirs === undefined) continue
    row.flat.push(own.flat / theirs.flat)
    row.warm.push(own.warm / theirs.warm)
    row.text = [
      `${own.flat.toFixed(3)}, ${theirs.flat.toFixed(3)}`,
      `${own.warm.toFixed(3)}, ${theirs.warm.toFixed(3)}`,
    ]
  }
}
if (rows[0]?.flat.length === 0)
  console.log(`\nNot measured: ${python} has no lightsim2grid (LIGHTSIM_PYTHON names another).`)
else {
  console.log('\nProcessor time in ms, of this and of lightsim2grid, in the last of so many rounds; median ratio:\n')
  printTable(
    ['case', 'flat', 'ratio', 'warm', 'ratio'],
    rows.map(({ name, flat, warm, text: [flatText = '', warmText = ''] }) => [
      name,
      flatText,
      median(flat).toFixed(2),
      warmText,
      median(warm).toFixed(2),
    ]),
  )
}
