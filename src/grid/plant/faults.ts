/** Faults of lines: the protection that clears each, and the automatic reclosing that brings the line back. */

import { stepSeconds } from '../configuration.ts'
import { busPosition, type Network } from '../network/network.ts'
import type { PlantScene } from './scene.ts'
import type { LineFault, Plant } from './state.ts'

/** The rule of automatic reclosing, of values in common use: one attempt after a dead time, then a time of watching. */
export const reclosingRule = { deadSeconds: 1, reclaimSeconds: 30 } as const

/** Puts a fault on a branch for a time; one that is there already lasts for the longer of the two. */
export function addFault(plant: Plant, branch: number, seconds: number): void {
  const { faults = [], open } = plant
  // A line that was open before does not close by itself.
  const recloser = open.includes(branch) ? 'locked' : 'ready'
  const known = faults.find((fault) => fault.branch === branch) ?? { branch, seconds, recloser, waited: 0 }
  const others = faults.filter((fault) => fault !== known)
  plant.faults = [...others, { ...known, seconds: Math.max(known.seconds, seconds) }]
}

/** Takes the attempt to reclose away, because an operator ordered the breaker: one under way, and any if it opens. */
export function cancelReclosing(plant: Plant, branch: number, closed: boolean): void {
  if (plant.faults === undefined) return
  plant.faults = plant.faults.map((fault) =>
    fault.branch === branch && (!closed || fault.recloser === 'waiting') ? { ...fault, recloser: 'locked' } : fault,
  )
}

/**
 * Advances faults and reclosers by 100 ms. A live line with a fault opens at once, and closes once a second later; when
 * it opens again within half a minute it stays open for the operator. Transformers are not reclosed.
 */
export function stepFaults({ plant, base, events }: Pick<PlantScene, 'plant' | 'base' | 'events'>) {
  const { faults } = plant
  if (faults === undefined) return { trips: [], reclosings: [] }
  const trips = faults.filter((fault) => carriesFault(plant, base, fault)).map(({ branch }) => branch)
  const next = faults.map((fault) => advance(fault, plant.open.includes(fault.branch), base))
  const turned = next.filter(({ recloser }, at) => recloser !== faults[at]?.recloser)
  for (const { branch, recloser } of turned) {
    if (recloser === 'locked') events.push(`branch ${branch} stays open after its fault, for the operator to close`)
  }
  const left = next.filter((fault) => !isOver(fault, plant.open.includes(fault.branch)))
  if (left.length > 0) plant.faults = left
  else delete plant.faults
  const reclosings = turned.filter(({ branch, recloser }) => recloser === 'watching' && plant.open.includes(branch))
  return { trips, reclosings: reclosings.map(({ branch }) => branch) }
}

/** Tests that current flows into a fault: it is still there, and its closed line has voltage. */
function carriesFault({ open, solution }: Plant, base: Network, { branch, seconds }: LineFault): boolean {
  const line = base.branches.find(({ number }) => number === branch)
  if (line === undefined || seconds === 0 || open.includes(branch)) return false
  return [line.from, line.to].some((bus) => (solution.vmPu[busPosition(base, bus)] ?? 0) > 0)
}

function advance(fault: LineFault, isOpen: boolean, base: Network): LineFault {
  const { deadSeconds, reclaimSeconds } = reclosingRule
  // The difference of many steps misses zero by rounding.
  const seconds = fault.seconds < stepSeconds * 1.5 ? 0 : fault.seconds - stepSeconds
  const waited = fault.waited + stepSeconds
  const turn = (recloser: LineFault['recloser']): LineFault => ({ ...fault, seconds, recloser, waited: 0 })
  switch (fault.recloser) {
    case 'ready':
      return isOpen ? turn(isTransformer(base, fault.branch) ? 'locked' : 'waiting') : { ...fault, seconds }
    case 'waiting':
      return waited >= deadSeconds - 1e-9 || !isOpen ? turn('watching') : { ...fault, seconds, waited }
    case 'watching':
      if (isOpen) return turn('locked')
      return waited >= reclaimSeconds - 1e-9 ? turn('ready') : { ...fault, seconds, waited }
    case 'locked':
      return { ...fault, seconds }
  }
}

/** Tests that neither a fault nor a recloser is left to follow. */
function isOver({ seconds, recloser }: LineFault, isOpen: boolean): boolean {
  return seconds === 0 && (recloser === 'locked' || (recloser === 'ready' && !isOpen))
}

function isTransformer({ branches, buses }: Network, branch: number): boolean {
  const element = branches.find(({ number }) => number === branch)
  const kv = (bus: number | undefined) => buses.find(({ id }) => id === bus)?.baseKv
  return element !== undefined && (element.ratio !== 1 || kv(element.from) !== kv(element.to))
}
