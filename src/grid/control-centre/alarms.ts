/** Raises alarms: one for as long as a cause lasts, and another when it returns after half a minute. */

import type { Alarm } from '../contract/grid.ts'
import type { ControlCentre } from './context.ts'
import { type Finding, priorityOf } from './detection.ts'
import { maximumAlarms, type View } from './view.ts'

/** Microseconds without a cause after which its return is a new alarm; a shorter gap belongs to the same alarm. */
const returnUs = 30_000_000

/** Raises alarms for new findings of a test at one place; a cause that it has not found for half a minute is over. */
export function raise(context: ControlCentre, group: string, findings: readonly Finding[]): void {
  const { view } = context.world
  const prefix = `${group}|`
  // Most tests find nothing: then no map is built.
  if (findings.length === 0) {
    forget(context, prefix)
    return
  }
  const found = new Map(findings.map((finding) => [`${prefix}${finding.detector}|${finding.where}`, finding]))
  forget(context, prefix, found)
  for (const [key, finding] of found) {
    const lastUs = view.raised[key]
    view.raised[key] = context.startUs
    if (lastUs !== undefined && context.startUs - Math.max(lastUs, view.liveUs) < returnUs) continue
    view.lastAlarm += 1
    const alarm: Alarm = {
      number: view.lastAlarm,
      timestamp: context.startUs / 1e6,
      priority: priorityOf(finding.detector),
      ...finding,
      acknowledged: false,
    }
    view.alarms = [...view.alarms, alarm].slice(-maximumAlarms)
    view.alarmCount += 1
    context.events.push({ topic: 'alarm', audience: 'all', data: alarm })
  }
}

/** Acknowledges alarms by number, or every one. */
export function acknowledge(view: View, numbers: readonly number[] | undefined): void {
  const isMeant = ({ number }: { readonly number: number }) => numbers === undefined || numbers.includes(number)
  view.alarms = view.alarms.map((alarm) => (isMeant(alarm) ? { ...alarm, acknowledged: true } : alarm))
  view.limitAlarms = view.limitAlarms.map((alarm) => (isMeant(alarm) ? { ...alarm, acknowledged: true } : alarm))
}

/** Removes the causes of a group that ended more than half a minute ago. */
function forget(context: ControlCentre, prefix: string, found?: ReadonlyMap<string, Finding>): void {
  const { raised, liveUs } = context.world.view
  for (const key in raised) {
    if (!key.startsWith(prefix) || found?.has(key) === true) continue
    if (context.startUs - Math.max(raised[key] ?? 0, liveUs) >= returnUs) delete raised[key]
  }
}
