/** Cost of a step of the grid simulation by case and number of attacks, and the size of a full simulation. */

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { attacks } from '#grid/attacks/catalogue.ts'
import { readOrder } from '#grid/attacks/order.ts'
import { type Configuration, defaultConfiguration } from '#grid/configuration.ts'
import { attackSeed, createWorld, findTelecontrol, step, type World } from '#grid/engine.ts'
import { type CaseName, caseNames } from '#grid/network/cases/catalogue.ts'
import { appendRecords, createRecords, retention } from '#grid/records/records.ts'
import { applyCommand } from '#grid/step/apply-command.ts'
import { quantile } from './report.ts'

const warmUp = 200
const measured = 600
const startTime = 1_764_000_000

/** Attacks by how many act at once: none, one, the ten that alter synchrophasors, every type there is. */
const loads: readonly (readonly [name: string, types: readonly string[]])[] = [
  ['none', []],
  ['NOISE', ['NOISE']],
  ['the first ten', attacks.slice(0, 10).map(({ type }) => type)],
  ['all', attacks.map(({ type }) => type)],
]

function startWorld(change: Partial<Configuration>): World {
  return createWorld({ ...defaultConfiguration, start_time: startTime, ...change })
}

function enable(world: World, types: readonly string[]): number {
  let enabled = 0
  for (const type of types) {
    const read = readOrder({ type, params: {} }, findTelecontrol(world), attackSeed(world))
    // A default may name what a small case does not have, such as a branch; such an attack cannot be enabled there.
    if (!read.ok) continue
    enabled += 1
    const order = { ...read.order, attack_id: `${type}-${enabled}` }
    applyCommand(world, { kind: 'enable', step: world.step, order })
  }
  return enabled
}

function measureSteps(name: CaseName, rate: Configuration['pmu_rate'], types: readonly string[]) {
  const world = startWorld({ case: name, pmu_rate: rate })
  for (let count = 0; count < warmUp; count++) step(world)
  const enabled = enable(world, types)
  const times: number[] = []
  let frames = 0
  const before = process.cpuUsage()
  for (let count = 0; count < measured; count++) {
    const from = performance.now()
    frames += step(world).frames.length
    times.push(performance.now() - from)
  }
  // Processor time tells what a step costs on a busy machine too; it includes the collector's share.
  const { user, system } = process.cpuUsage(before)
  return { enabled, frames: frames / measured, processor: (user + system) / 1_000 / measured, times }
}

const ms = (value: number) => `${value.toFixed(3)} ms`

console.log(
  '| case | frames/s per PMU | attacks | frames per step | processor time | median | 99 % | of one core at speed 1 |',
)
console.log('| --- | --- | --- | --- | --- | --- | --- | --- |')
measureSteps('case14', 30, loads[3]?.[1] ?? [])
for (const name of caseNames) {
  for (const [load, types] of loads) {
    for (const rate of name === 'case14' ? ([5, 30] as const) : ([5] as const)) {
      const { enabled, frames, processor, times } = measureSteps(name, rate, types)
      const cells = [
        name,
        rate,
        enabled === types.length ? load : `${load} (${enabled})`,
        frames.toFixed(1),
        ...[processor, quantile(times, 0.5), quantile(times, 0.99)].map(ms),
        `${processor.toFixed(2)} %`,
      ]
      console.log(`| ${cells.join(' | ')} |`)
    }
  }
}

setFlagsFromString('--expose_gc')
const collect: () => void = runInNewContext('gc')

/** Bytes that live on the heap or beside it, after everything that can go has gone. */
function heldBytes(): number {
  collect()
  collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

const mebibytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`

/** Fills the records of a session; everything but what is counted has gone when it returns. */
function measureMemory(name: CaseName, types: readonly string[]): readonly (string | number)[] {
  const empty = heldBytes()
  const world = startWorld({ case: name, pmu_rate: 30 })
  for (let count = 0; count < warmUp; count++) step(world)
  const withWorld = heldBytes()
  const records = createRecords()
  enable(world, types)
  const { incidents, frames } = records
  while (incidents.items.length < retention.incidents || frames.pushed < frames.capacity) {
    appendRecords(records, step(world))
  }
  const full = heldBytes()
  return [
    incidents.items.length,
    records.attacked,
    frames.pushed - records.firstFrame,
    mebibytes(records.frameBytes),
    mebibytes(full - withWorld),
    mebibytes(withWorld - empty),
    mebibytes(JSON.stringify(world).length),
  ]
}

console.log(
  '\n| full simulation | incidents | attacked | frames | octets of frames | records in memory | world in memory | snapshot |',
)
console.log('| --- | --- | --- | --- | --- | --- | --- | --- |')
measureMemory('case9', ['NOISE'])
for (const name of ['case14', 'case118'] as const) {
  for (const types of [[], ['NOISE']]) {
    const what = types.length === 0 ? 'nothing attacked' : 'every PMU frame attacked'
    console.log(`| ${name}, ${what} | ${measureMemory(name, types).join(' | ')} |`)
  }
}
