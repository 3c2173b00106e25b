/** Scores of the library's scenarios as docs/grid.md shows them: our detectors beside the Suricata rules of the examples. */

import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { doAtOnce } from '#base/slices.ts'
import { stepUs } from '#grid/configuration.ts'
import type { Alarm } from '#grid/contract/grid.ts'
import type { Score } from '#grid/contract/score.ts'
import { createWorld, replay } from '#grid/engine.ts'
import { type FrameLabel, openLabeller } from '#grid/export/labels.ts'
import { findScenario } from '#grid/scenario/library.ts'
import { defaultRules } from '#grid/score/place.ts'
import { readAlerts } from '#grid/score/read-alerts.ts'
import { score } from '#grid/score/score.ts'
import { gatherTruth } from '#grid/score/truth.ts'
import { type CapturedFrame, parseRules, runRules } from './suricata-rules.ts'
import { sweep } from './sweep.ts'

const folder = new URL('../../examples/grid/detection/', import.meta.url)

/** The rules of the examples. */
export const rules = parseRules(readFileSync(new URL('suricata.rules', folder), 'utf8'))

/** The address groups that they name. */
export const groups = parse(readFileSync(new URL('suricata-vars.yaml', folder), 'utf8')).vars[
  'address-groups'
] as Readonly<Record<string, string>>

/** Scenarios of the worked examples, those that are soon played first. */
const workedScenarios =
  'forged-command stealthy-injection reconnaissance drifting-measurement coordinated-outage'.split(' ')

/** A session with what a detector reads and what it is measured by. */
export interface RecordedRun {
  readonly labels: readonly FrameLabel[]
  readonly frames: readonly CapturedFrame[]
  readonly alarms: readonly Alarm[]
}

/** Computes a session. */
export function recordSession({
  configuration,
  commands,
  steps,
}: ReturnType<typeof findScenario>['session']): RecordedRun {
  const label = openLabeller(null)
  const run = { labels: [] as FrameLabel[], frames: [] as CapturedFrame[], alarms: [] as Alarm[] }
  for (const { frames, events } of replay(createWorld(configuration), { commands }, steps)) {
    for (const record of frames) {
      const line = label({ ...record, record })
      if (line === null) continue
      run.labels.push(line)
      if (line.pcap_frame === null) continue
      run.frames.push({ number: line.pcap_frame, timeUs: line.t_us, bytes: record.bytes })
    }
    run.alarms.push(...events.flatMap(({ topic, data }) => (topic === 'alarm' ? [data as Alarm] : [])))
  }
  return run
}

/** Scores both detectors on one run. */
export function scoreBoth(run: RecordedRun): { readonly own: Score; readonly suricata: Score } {
  const truth = gatherTruth(run.labels)
  const scoreLines = (lines: readonly string[]) =>
    doAtOnce(score(truth, doAtOnce(readAlerts(lines.join('\n'), null)), defaultRules))
  return {
    // As `GET /score` does: the timestamp is the beginning of the step, before the frames that caused the alarm.
    own: scoreLines(
      run.alarms.map(({ timestamp, detector }) => JSON.stringify({ time: timestamp + stepUs / 1e6, name: detector })),
    ),
    suricata: scoreLines(runRules(rules, groups, run.frames)),
  }
}

/** Writes the table: a row for each detector and each of the first scenarios, in the gate of one. */
export function formatScores(scenarios = sweep(workedScenarios.length, 1)): string {
  const rows = workedScenarios.slice(0, scenarios).flatMap((name) => {
    const { own, suricata } = scoreBoth(recordSession(findScenario(name).session))
    return [formatRow(name, 'control centre', own), formatRow(name, 'Suricata rules', suricata)]
  })
  return [
    '| scenario | detector | attacks detected | first after | false alarms | precision by episode | recall by flow | recall by frame |',
    `| ${Array.from({ length: 8 }, () => '---').join(' | ')} |`,
    ...rows,
  ].join('\n')
}

function formatRow(scenario: string, detector: string, { alerts, episode, flow, frame, attacks }: Score): string {
  const times = attacks.flatMap(({ seconds_to_detection: seconds }) => seconds ?? [])
  const first = times.length === 0 ? '' : `${Math.min(...times).toFixed(2)} s`
  const share = (value: number | null) => (value === null ? '' : value.toFixed(2))
  const cells = [
    ...[scenario, detector, `${episode.true_positives} of ${attacks.length}`, first, alerts.false_alarms],
    ...[share(episode.precision), share(flow.recall), share(frame.recall)],
  ]
  return `| ${cells.join(' | ')} |`
}
