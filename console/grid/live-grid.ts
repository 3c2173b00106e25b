/** State of a running simulation in the room: diagram, trends, incidents and alarms, each bounded. */

import type { IncomingEvent } from '#base/event-stream.ts'
import type { Alarm, LimitAlarm } from '#grid/contract/grid.ts'
import type { Incident } from '#grid/contract/records.ts'

/** A stretch of time that was not computed. */
export interface Stretch {
  readonly from: number
  readonly to: number
  readonly reason: string
}

/** An alarm of a detector, or of a limit. */
export type AnyAlarm = Alarm | LimitAlarm

/** One quantity by the id of its bus or the number of its branch. */
export type Values = Readonly<Record<string, number | boolean>>

/** Quantities of a layer by name; see the topic `diagram` in docs/grid.md. */
export type Layer = Readonly<Record<string, Values>>

/** The truth, the last measurements, and the estimate of the control centre. */
export interface Layers {
  readonly true: Layer
  readonly measured: Layer
  readonly estimated: Layer
}

/** An incident on the timeline, parsed when it is shown. */
export interface Tick {
  /** Number of the incident in its session, from its event's id. */
  readonly number: number
  readonly id: string
  /** Simulated Unix seconds. */
  readonly at: number
  readonly severity: string
  /** Parses the incident; the second call gives the same object. */
  readonly read: () => Incident
}

/** Bounds of what the room keeps. */
export const kept = { incidents: 1000, alarms: 200, trend: 600, gaps: 50 } as const

/** One moment of the trends. */
export interface Moment {
  /** Simulated Unix seconds. */
  readonly at: number
  readonly layers: Layers
}

/** The latest events of one session. It changes in place, because a flood has a thousand events a second. */
export interface LiveGrid {
  layers: Layers
  /** Simulated Unix seconds of the diagram. */
  at: number
  readonly trend: Moment[]
  readonly incidents: Tick[]
  /** Incidents that arrived in all. */
  received: number
  readonly alarms: AnyAlarm[]
  readonly gaps: Stretch[]
  /** The latest event of the topic `grid`: numbers of the whole grid. */
  summary: Readonly<Record<string, number>>
}

const emptyLayers: Layers = { true: {}, measured: {}, estimated: {} }

/** A session that has shown nothing. */
export function emptyGrid(): LiveGrid {
  return { layers: emptyLayers, at: 0, trend: [], incidents: [], received: 0, alarms: [], gaps: [], summary: {} }
}

/** Applies an event of the stream. @returns true when another session has begun, whose state the room has to read anew. */
export function takeEvent(grid: LiveGrid, { event: topic, data, lastEventId }: IncomingEvent): boolean {
  if (topic === 'incident') {
    addIncident(grid, data, lastEventId)
    return false
  }
  // The shapes are those of docs/grid.md.
  const event = JSON.parse(data)
  if (topic === 'diagram') applyDiagram(grid, event)
  else if (topic === 'alarm') addAlarms(grid, [event])
  else if (topic === 'gap') pushBounded(grid.gaps, event, kept.gaps)
  else if (topic === 'grid' && event.event === 'state') grid.summary = event
  else if (topic === 'grid' && event.event === 'limit') addAlarms(grid, [event])
  else if (topic === 'grid' && event.event === 'acknowledged') acknowledgeAlarms(grid, event.numbers)
  return topic === 'status' && event.event === 'reset'
}

function addIncident(grid: LiveGrid, data: string, lastEventId: string): void {
  grid.received += 1
  // A thousand a second arrive in a flood: three members are searched, the rest is read when it is looked at.
  const id = /"id":"(\w+)"/.exec(data)?.[1] ?? ''
  const at = Number(/"timestamp":([\d.]+)/.exec(data)?.[1] ?? 0)
  const severity = /"severity":"(\w+)"/.exec(data)?.[1] ?? 'INFO'
  let parsed: Incident | undefined
  const read = () => {
    parsed ??= JSON.parse(data) as Incident // as docs/grid.md has it
    return parsed
  }
  const number = Number(lastEventId.split('-')[1] ?? 0)
  pushBounded(grid.incidents, { number, id, at, severity, read }, kept.incidents)
}

/** Adds alarms that are not there yet, oldest first. */
export function addAlarms(grid: LiveGrid, alarms: readonly AnyAlarm[]): void {
  const known = new Set(grid.alarms.map(({ number }) => number))
  for (const alarm of alarms) if (!known.has(alarm.number)) pushBounded(grid.alarms, alarm, kept.alarms)
}

function acknowledgeAlarms(grid: LiveGrid, numbers: readonly number[] | undefined): void {
  grid.alarms.forEach((alarm, index) => {
    if (numbers?.includes(alarm.number) ?? true) grid.alarms[index] = { ...alarm, acknowledged: true }
  })
}

type Changes = {
  readonly [Name in keyof Layers]: Readonly<Record<string, Readonly<Record<string, number | boolean | null>>>>
}

function applyDiagram(grid: LiveGrid, event: Changes & { readonly time: number; readonly complete: boolean }): void {
  const before = event.complete ? emptyLayers : grid.layers
  grid.layers = {
    true: merge(before.true, event.true),
    measured: merge(before.measured, event.measured),
    estimated: merge(before.estimated, event.estimated),
  }
  grid.at = event.time
  const last = grid.trend.at(-1)
  if (last !== undefined && event.time < last.at) grid.trend.length = 0
  // Half a second apart: five minutes at the usual speed.
  if (last === undefined || event.time - last.at >= 0.5 || event.time < last.at)
    pushBounded(grid.trend, { at: event.time, layers: grid.layers }, kept.trend)
}

function merge(before: Layer, changes: Changes['true']): Layer {
  const layer: Record<string, Values> = { ...before }
  for (const [name, values] of Object.entries(changes)) {
    const entries = Object.entries({ ...before[name], ...values }).filter(([, value]) => value !== null)
    // Null values were left out in the line above.
    layer[name] = Object.fromEntries(entries) as Values
  }
  return layer
}

function pushBounded<T>(list: T[], one: T, most: number): void {
  list.push(one)
  // In blocks, so that a flood does not move the whole list with every event.
  if (list.length > most * 1.2) list.splice(0, list.length - most)
}

/** A number of a layer; undefined where it is not known. */
export function readNumber(layer: Layer, name: string, id: number | string): number | undefined {
  const value = layer[name]?.[id]
  return typeof value === 'number' ? value : undefined
}
