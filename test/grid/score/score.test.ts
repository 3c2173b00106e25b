/** Scores beside figures that are counted by hand. */

import { describe, expect, it } from 'vitest'
import { doAtOnce } from '#base/slices.ts'
import type { FrameLabel } from '#grid/export/labels.ts'
import type { Alert } from '#grid/score/place.ts'
import { defaultRules, type MatchRules } from '#grid/score/place.ts'
import { score } from '#grid/score/score.ts'
import { gatherTruth } from '#grid/score/truth.ts'

const [master, station, other] = ['10.0.0.1:50000', '10.0.0.2:20000', '10.0.0.3:502']

/** A frame a second from second 0: attack A on the frames 11 to 13, B on 31 of another flow, whose next frame was lost. */
const labels: readonly FrameLabel[] = Array.from({ length: 61 }, (_, second) => {
  const attack = second >= 11 && second <= 13 ? 'A' : second === 31 || second === 32 ? 'B' : null
  return {
    frame_no: second,
    pcapng_frame: second,
    pcapng_frame_before: null,
    protocol: 'DNP3',
    flow: '',
    changes: [],
    pcap_frame: second === 32 ? null : second < 32 ? second + 1 : second,
    t_us: second * 1_000_000,
    src: second % 2 === 1 ? master : station,
    dst: second % 2 === 1 ? station : master,
    ...(attack === 'B' && { src: master, dst: other }),
    tap: second === 32 ? ('before' as const) : ('after' as const),
    status: 'clean' as const,
    origin: 'simulation' as const,
    ...{ label: attack ?? 'NONE', attack_id: attack, technique: attack === null ? null : `T${attack}` },
    technique_legacy: null,
  }
})

function alert(second: number, more: Partial<Alert> = {}): Alert {
  const nothing = { frame: null, source: null, target: null, technique: null, score: null }
  return { line: 1, timeUs: second * 1e6, name: 'rule', ...nothing, ...more }
}

function judge(alerts: readonly Alert[], rules: Partial<MatchRules> = {}) {
  return doAtOnce(score(gatherTruth(labels), alerts, { ...defaultRules, ...rules }))
}

describe('score()', () => {
  it('describes the run', () => {
    expect(judge([]).run).toEqual({
      start: 0,
      end: 60,
      frames: 60,
      attacked_frames: 4,
      flows: 2,
      attacked_flows: 2,
      attacks: 2,
    })
  })

  it('has no precision without an alert, and a recall of 0', () => {
    const { frame, flow, episode, false_alarms_per_hour: rate } = judge([])
    for (const one of [frame, flow, episode]) expect(one).toMatchObject({ precision: null, recall: 0, f1: 0 })
    expect(rate).toBe(0)
  })

  it('places alerts by the number of the frame, by time and ends, or by time', () => {
    const byNumber = alert(0, { frame: 13 })
    const byEnds = alert(12.0005, { source: '10.0.0.2', target: '10.0.0.1' })
    const byTime = alert(14)
    const { alerts, frame, attacks } = judge([byNumber, byEnds, byTime])
    expect(alerts).toEqual({ scored: 3, outside: 0, on_a_frame: 2, on_a_flow: 2, false_alarms: 0 })
    expect(frame).toMatchObject({
      true_positives: 1,
      false_positives: 0,
      false_negatives: 3,
      precision: 1,
      recall: 0.25,
    })
    expect(attacks).toMatchObject([
      { attack_id: 'A', alerts: 3, detected: true, seconds_to_detection: 0 },
      { attack_id: 'B', alerts: 0, detected: false, seconds_to_detection: null, first_alert: null },
    ])
  })

  it('counts a clean frame of an attack between its ends as a false frame, and as a report of the attack', () => {
    const { frame, episode, attacks } = judge([alert(15, { frame: 16, source: master, target: station })])
    expect([frame.true_positives, frame.false_positives]).toEqual([0, 1])
    expect([episode.true_positives, episode.false_positives]).toEqual([1, 0])
    expect(attacks[0]).toMatchObject({ detected: true, seconds_to_detection: 4 })
  })

  it('takes an alert between other addresses, or after the grace, for a false alarm', () => {
    const wrongEnds = alert(12, { source: '10.0.0.1', target: '10.0.0.9' })
    const late = alert(25)
    expect(judge([wrongEnds, late])).toMatchObject({
      alerts: { false_alarms: 2 },
      episode: { true_positives: 0, false_positives: 2, false_negatives: 2, precision: 0, recall: 0, f1: 0 },
      false_alarms_per_hour: 120,
    })
    expect(judge([late], { graceS: 12 }).alerts.false_alarms).toBe(0)
  })

  it('counts the ends of the grace and of the tolerance as within them', () => {
    const falseAlarms = (second: number) => judge([alert(second)]).alerts.false_alarms
    expect([10.999999, 11, 23, 23.000001].map(falseAlarms)).toEqual([1, 0, 0, 1])
    const ends = { source: '10.0.0.2', target: '10.0.0.1' }
    const onFrame = (second: number) => judge([alert(second, ends)]).alerts.on_a_frame
    expect([11.998999, 11.999, 12.001, 12.001001].map(onFrame)).toEqual([0, 1, 1, 0])
  })

  it('groups false alarms that follow each other within the grace', () => {
    const times = [0, 5, 9, 50, 59]
    expect(judge(times.map((second) => alert(second))).episode.false_positives).toBe(2)
    expect(judge(times.map((second, at) => alert(second, { name: `rule ${at}` }))).episode.false_positives).toBe(5)
  })

  it('counts flows by their ports, or by the last frame between the addresses', () => {
    const { flow } = judge([
      alert(31.5, { source: master, target: other }),
      alert(40.2, { source: '10.0.0.1', target: '10.0.0.2' }),
    ])
    expect(flow).toMatchObject({ true_positives: 2, false_positives: 0, false_negatives: 0, f1: 1 })
  })

  it('detects an attack by its lost frame, which no detector can mark', () => {
    const { attacks, frame } = judge([alert(32, { source: '10.0.0.3', target: '10.0.0.1' })])
    expect(attacks[1]).toMatchObject({ attack_id: 'B', detected: true, seconds_to_detection: 1 })
    expect(frame.true_positives).toBe(0)
  })

  it('says of each technique how many attacks were detected, and of each attack if an alert names its technique', () => {
    const { techniques, attacks } = judge([alert(12, { technique: 'TA' }), alert(32, { technique: 'TA' })])
    expect(techniques).toEqual([
      { technique: 'TA', attacks: 1, detected: 1 },
      { technique: 'TB', attacks: 1, detected: 1 },
    ])
    expect(attacks.map(({ technique_named: named }) => named)).toEqual([true, false])
  })

  it('draws a curve over the scores, at most fifty thresholds', () => {
    const { curve } = judge([alert(12, { score: 0.9 }), alert(50, { score: 0.2 })])
    expect(curve.map(({ threshold, alerts, episode }) => [threshold, alerts, episode.precision])).toEqual([
      [0.2, 2, 0.5],
      [0.9, 1, 1],
    ])
    const many = Array.from({ length: 120 }, (_, at) => alert(12, { score: at }))
    expect(judge(many).curve).toHaveLength(40)
    expect(judge([alert(12)]).curve).toEqual([])
  })

  it('leaves out alerts of another time, and refuses where all are', () => {
    expect(judge([alert(12), alert(4_000)]).alerts).toMatchObject({ scored: 1, outside: 1 })
    expect(() => judge([alert(4_000)])).toThrow(
      'Cannot score: no alert is of this run: line 1 is of 1970-01-01T01:06:40.000Z, the run lasts from',
    )
  })

  it('refuses a run without frames', () => {
    expect(() => doAtOnce(score(gatherTruth([]), [], defaultRules))).toThrow('the run has no captured frame')
  })
})
