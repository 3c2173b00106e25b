/** Reads of a DNP3 outstation: static data of the last scan, counters, the clock, and events by class or by kind. */

import { dnp3Indication } from '../../protocols/dnp3-fragment.ts'
import type { Dnp3Object } from '../../protocols/dnp3-objects.ts'
import { dnp3Flag } from '../../protocols/dnp3-points.ts'
import type { Dnp3Dialogue } from '../dialogue.ts'
import type { StepScene } from '../step-context.ts'
import { listEvents } from './dnp3-events.ts'
import { readClockMs, readCounters } from './outstation-state.ts'
import type { Session } from './session.ts'

/** The outstation's end of a session. */
type Server = Session<Dnp3Dialogue, Pick<StepScene, 'world'>>

/** The part of a response that its request decides: mistakes as indications, objects, and the classes of its events. */
export interface Outcome {
  readonly mistakes: number
  readonly objects: readonly Dnp3Object[]
  readonly classes?: readonly number[]
}

/** Static kinds by group, with the variations that a request may name: 0 asks for the usual one. */
const staticKinds: ReadonlyMap<number, readonly number[]> = new Map([
  [1, [0, 2]],
  [20, [0, 1]],
  [30, [0, 5]],
])

/** Class of the events of a group. */
const eventGroups: ReadonlyMap<number, number> = new Map([
  [2, 1],
  [32, 2],
])

/** Reads what the headers of a request name; events come first, as the standard orders them (clause 5.1.7). */
export function readObjects(server: Server, headers: readonly Dnp3Object[], timeUs: number): Outcome {
  let mistakes = 0
  const wanted = new Set<number>()
  const statics: Dnp3Object[] = []
  for (const header of headers) {
    const eventClass = findEventClass(header)
    const found = eventClass === undefined ? readStatic(server, header, timeUs) : []
    if (eventClass !== undefined) wanted.add(eventClass)
    else if (found === undefined) mistakes |= dnp3Indication.objectUnknown
    else if (found === 'range') mistakes |= dnp3Indication.parameterError
    else statics.push(...found)
  }
  const events = listEvents(server.connection.dialogue, [...wanted])
  return { mistakes, objects: [...events, ...statics], classes: events.length === 0 ? [] : [...wanted] }
}

function findEventClass(header: Dnp3Object): number | undefined {
  if (header.kind !== 'all') return undefined
  const { group, variation } = header
  if (group === 60) return variation >= 2 && variation <= 4 ? variation - 1 : undefined
  return eventGroups.get(group)
}

/** The objects of a header; undefined for an unknown one, `range` for points that are not there. */
function readStatic(server: Server, header: Dnp3Object, timeUs: number): readonly Dnp3Object[] | 'range' | undefined {
  const { context, outstation } = server
  if (header.kind !== 'all' && header.kind !== 'range') return undefined
  const { group, variation } = header
  if (group === 50 && variation === 1) return [{ kind: 'time', time: readClockMs(context.world, outstation, timeUs) }]
  const isClass0 = header.kind === 'all' && group === 60 && variation === 1
  const groups = isClass0 ? [...staticKinds.keys()] : staticKinds.get(group)?.includes(variation) ? [group] : []
  if (groups.length === 0) return undefined
  const lists = groups.map((one) => listStatic(server, one))
  if (header.kind === 'all') return lists.filter(({ points }) => points.length > 0)
  const { start, stop } = header
  // Each list keeps its kind, and has fewer points.
  const cut = lists.map((list) => ({ ...list, points: list.points.slice(start, stop + 1) }) as PointList)
  return cut.every(({ points }) => points.length === stop - start + 1) ? cut : 'range'
}

type PointList = Extract<Dnp3Object, { readonly points: readonly unknown[] }>

function listStatic({ context: { world }, outstation }: Server, group: number): PointList {
  const sample = world.samples[outstation.node]
  const online = dnp3Flag.online
  if (group === 1) {
    const flags = (isOn: boolean) => online | (isOn ? dnp3Flag.state : 0)
    const points = (sample?.closed ?? []).map((isOn, index) => ({ index, flags: flags(isOn) }))
    return { kind: 'binary_input', qualifier: 'range8', points }
  }
  if (group === 20) {
    const points = readCounters(world, outstation).map((count, index) => ({ index, flags: online, count }))
    return { kind: 'counter', qualifier: 'range8', points }
  }
  const points = (sample?.values ?? []).map((value, index) => ({ index, flags: online, value }))
  return { kind: 'analog_input', qualifier: 'range8', points }
}
