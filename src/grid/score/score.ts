/** The score of a detector: its alerts beside the truth of a run, by frame, flow and attack. */

import { groupBy } from '../../base/group-by.ts'
import type { Sliced } from '../../base/slices.ts'
import type { Detection, Score, ScoredAttack } from '../contract/score.ts'
import { GridError } from '../errors.ts'
import { type Alert, alertPlacer, type MatchRules, type Placed } from './place.ts'
import { type Episode, joinAddresses, type Truth } from './truth.ts'

/** Alerts after which the scoring yields, so that others run. */
const sliceAlerts = 1_000
/** Most points of the curve. */
const mostThresholds = 50

/**
 * Scores alerts: one reports an attack when it is on one of its frames, or during it between the addresses of one, or
 * without addresses at its moment; any other is a false alarm, and those of one name and one pair of addresses within
 * the grace count once.
 *
 * @throws GridError capture_unavailable when the run has no frame.
 * @throws GridError invalid_request when every alert is outside the time of the run.
 */
export function* score(truth: Truth, alerts: readonly Alert[], rules: MatchRules): Sliced<Score> {
  if (truth.frames.length === 0 && truth.episodes.length === 0) {
    throw new GridError('capture_unavailable', 'Cannot score: the run has no captured frame')
  }
  const isInside = ({ timeUs }: Alert) => truth.startUs <= timeUs && timeUs <= truth.endUs + rules.graceS * 1e6
  const inside = alerts.filter((alert) => alert.frame !== null || isInside(alert))
  const [first] = alerts
  if (inside.length === 0 && first !== undefined) throw outside(first, truth)
  const place = alertPlacer(truth, rules)
  const placed: Placed[] = []
  const reports = new Map<Episode, Placed[]>(truth.episodes.map((episode) => [episode, []]))
  for (const [index, alert] of inside.entries()) {
    if (index % sliceAlerts === sliceAlerts - 1) yield
    const one = place(alert)
    placed.push(one)
    for (const episode of one.episodes) reports.get(episode)?.push(one)
  }
  const hours = Math.max((truth.endUs - truth.startUs) / 3.6e9, 1 / 3_600)
  return {
    rules: { tolerance_ms: rules.toleranceMs, grace_s: rules.graceS },
    run: describeRun(truth),
    alerts: countAlerts(placed, alerts.length - inside.length),
    ...computeFigures(placed, truth, rules, hours),
    attacks: [...reports].map(([episode, own]) => scoreAttack(episode, own)),
    techniques: scoreTechniques(reports),
    curve: yield* scoreCurve(placed, truth, rules, hours),
  }
}

function outside({ line, timeUs }: Alert, { startUs, endUs }: Truth): GridError {
  const moment = (us: number) => new Date(us / 1000).toISOString()
  return new GridError(
    'invalid_request',
    `Cannot score: no alert is of this run: line ${line} is of ${moment(timeUs)}, the run lasts from ${moment(startUs)} to ${moment(endUs)}`,
    { hint: 'Simulated time is that of the capture; look for another time zone, or another session' },
  )
}

function describeRun({ frames, episodes, startUs, endUs }: Truth): Score['run'] {
  const attacked = frames.filter(({ attack }) => attack !== null)
  return {
    start: startUs / 1e6,
    end: endUs / 1e6,
    frames: frames.length,
    attacked_frames: attacked.length,
    flows: new Set(frames.map(({ flow }) => flow)).size,
    attacked_flows: new Set(attacked.map(({ flow }) => flow)).size,
    attacks: episodes.length,
  }
}

function countAlerts(placed: readonly Placed[], outsideRun: number): Score['alerts'] {
  return {
    scored: placed.length,
    outside: outsideRun,
    on_a_frame: placed.filter(({ frame }) => frame !== null).length,
    on_a_flow: placed.filter(({ flow }) => flow !== null).length,
    false_alarms: placed.filter(isFalse).length,
  }
}

function isFalse({ episodes }: Placed): boolean {
  return episodes.length === 0
}

type Figures = Pick<Score, 'frame' | 'flow' | 'episode' | 'false_alarms_per_hour'>

function computeFigures(placed: readonly Placed[], truth: Truth, rules: MatchRules, hours: number): Figures {
  const attacked = truth.frames.filter(({ attack }) => attack !== null)
  const alertedFrames = new Set(placed.flatMap(({ frame }) => (frame === null ? [] : [frame.frame])))
  const alertedFlows = new Set(placed.flatMap(({ flow }) => (flow === null ? [] : [flow])))
  const detected = new Set(placed.flatMap(({ episodes }) => episodes.map(({ attack }) => attack)))
  return {
    frame: compare(new Set(attacked.map(({ frame }) => frame)), alertedFrames),
    flow: compare(new Set(attacked.map(({ flow }) => flow)), alertedFlows),
    episode: detection(detected.size, countFalseEpisodes(placed, rules), truth.episodes.length - detected.size),
    false_alarms_per_hour: placed.filter(isFalse).length / hours,
  }
}

function compare<T>(right: ReadonlySet<T>, alerted: ReadonlySet<T>): Detection {
  const hits = [...alerted].filter((one) => right.has(one)).length
  return detection(hits, alerted.size - hits, right.size - hits)
}

function detection(hits: number, falseAlarms: number, missed: number): Detection {
  const ratio = (part: number, whole: number) => (whole === 0 ? null : part / whole)
  return {
    true_positives: hits,
    false_positives: falseAlarms,
    false_negatives: missed,
    precision: ratio(hits, hits + falseAlarms),
    recall: ratio(hits, hits + missed),
    f1: ratio(2 * hits, 2 * hits + falseAlarms + missed),
  }
}

/** Counts false alarms; those of one name and one pair of addresses within the grace are one. */
function countFalseEpisodes(placed: readonly Placed[], { graceS }: MatchRules): number {
  const kinds = groupBy(placed.filter(isFalse), ({ alert: { name, source, target } }) =>
    JSON.stringify([name, source === null || target === null ? null : joinAddresses(source, target)]),
  )
  let episodes = 0
  for (const kind of kinds.values()) {
    const times = kind.map(({ alert }) => alert.timeUs).sort((one, other) => one - other)
    episodes += times.filter((timeUs, at) => timeUs - (times[at - 1] ?? Number.NEGATIVE_INFINITY) > graceS * 1e6).length
  }
  return episodes
}

function scoreAttack(episode: Episode, own: readonly Placed[]): ScoredAttack {
  const [first] = own.map(({ alert }) => alert).sort((one, other) => one.timeUs - other.timeUs)
  const { attack, type, technique, legacyTechnique, startUs, endUs } = episode
  const named = own.filter(({ alert }) => alert.technique !== null)
  const isRight = ({ alert }: Placed) => alert.technique === technique || alert.technique === legacyTechnique
  return {
    attack_id: attack,
    type,
    technique,
    start: startUs / 1e6,
    end: endUs / 1e6,
    alerts: own.length,
    detected: own.length > 0,
    seconds_to_detection: first === undefined ? null : Math.max(0, (first.timeUs - startUs) / 1e6),
    first_alert: first?.name ?? null,
    technique_named: named.length === 0 ? null : named.some(isRight),
  }
}

function scoreTechniques(reports: ReadonlyMap<Episode, readonly Placed[]>): Score['techniques'] {
  const byTechnique = groupBy(reports, ([{ technique }]) => technique)
  return [...byTechnique].map(([technique, own]) => ({
    technique,
    attacks: own.length,
    detected: own.filter(([, placed]) => placed.length > 0).length,
  }))
}

/** The figures at each threshold of the alerts' scores, at most fifty of them; empty where alerts have none. */
function* scoreCurve(
  placed: readonly Placed[],
  truth: Truth,
  rules: MatchRules,
  hours: number,
): Sliced<Score['curve']> {
  const scores = [...new Set(placed.flatMap(({ alert }) => alert.score ?? []))].sort((one, other) => one - other)
  const step = Math.max(1, Math.ceil(scores.length / mostThresholds))
  const points: Score['curve'][number][] = []
  for (const threshold of scores.filter((_, at) => at % step === 0)) {
    yield
    const kept = placed.filter(({ alert }) => alert.score !== null && alert.score >= threshold)
    points.push({ threshold, alerts: kept.length, ...computeFigures(kept, truth, rules, hours) })
  }
  return points
}
