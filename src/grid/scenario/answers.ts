/** Derives the answers to a scenario's questions from the labels and the truth of its run. */

import { findAttack } from '../attacks/catalogue.ts'
import type { FrameLabel } from '../export/labels.ts'
import { addressOf } from '../score/truth.ts'
import type { Telecontrol } from '../telecontrol/telecontrol.ts'
import type { RaisedAlarm } from './checks.ts'
import type { Question, ScenarioAnswer } from './shape.ts'

/** The frames of one attack, summed. */
export interface AttackTruth {
  readonly id: string | null
  readonly attack_id: string
  readonly type: string
  readonly technique: string | null
  readonly technique_legacy: string | null
  readonly protocol: string
  /** Times of its first and its last frame in seconds from the start. */
  readonly begins: number
  readonly ends: number
  readonly frames: number
  /** Devices at either end of its frames, the control centre, the concentrator and bays aside. */
  readonly stations: readonly string[]
  /** The attacker's address where it sent a frame, or else the sender of the first frame. */
  readonly source: string
}

type Growing = { -readonly [Name in keyof AttackTruth]: AttackTruth[Name] } & { stations: string[] }

/** Starts without an attack; `names` has the name in the scenario by the engine's id of each attack that has one. */
export function openAttackLedger(plan: Telecontrol, names: ReadonlyMap<string, string>, startUs: number) {
  const nodes = new Map(
    [...plan.outstations, ...plan.pmus, ...plan.ieds, ...plan.mergingUnits].flatMap(({ node, host }) => [
      [host.ip, node],
      [host.mac, node],
    ]),
  )
  const found = new Map<string, Growing>()
  return {
    add(line: FrameLabel): void {
      const { attack_id: id, t_us: timeUs, src, dst } = line
      if (id === null) return
      const seconds = (timeUs - startUs) / 1e6
      const known = found.get(id) ?? startAttack(line, id, names.get(id) ?? null, seconds)
      found.set(id, known)
      // A message that was changed has a line on each side of the attacker.
      if (line.tap === 'after' || line.status === 'dropped') known.frames += 1
      known.ends = Math.max(known.ends, seconds)
      if (addressOf(src) === plan.attacker.ip) known.source = plan.attacker.ip
      for (const end of [src, dst]) {
        const node = nodes.get(addressOf(end))
        if (node !== undefined && !known.stations.includes(node)) known.stations.push(node)
      }
    },
    /** In the order of their first frames. */
    list: (): readonly AttackTruth[] => [...found.values()],
  }
}

function startAttack(line: FrameLabel, attackId: string, id: string | null, seconds: number): Growing {
  const { label: type, technique, technique_legacy } = line
  return {
    id,
    attack_id: attackId,
    type,
    technique,
    technique_legacy,
    protocol: findAttack(type)?.protocol ?? line.protocol,
    begins: seconds,
    ends: seconds,
    frames: 0,
    stations: [],
    source: addressOf(line.src),
  }
}

/** The facts of a run that questions ask for. */
export interface RunFacts {
  readonly attacks: readonly AttackTruth[]
  readonly alarms: readonly RaisedAlarm[]
  /** The value of a question about the grid or its breakers, taken at its time. */
  readonly observed: ReadonlyMap<Question, ScenarioAnswer>
}

/** The answer that the run gives to a question; undefined where the run has none. */
export function deriveAnswer(question: Question, { attacks, alarms, observed }: RunFacts): ScenarioAnswer | undefined {
  const { attack, member, alarm, at } = question.of
  if (attack !== undefined) {
    const value = member === undefined ? undefined : attacks.find(({ id }) => id === attack)?.[member]
    return value === null ? undefined : copyAnswer(value)
  }
  if (alarm === undefined) return observed.get(question)
  const raised = alarms.filter(({ atS }) => atS <= (at ?? Number.POSITIVE_INFINITY)).map(({ detector }) => detector)
  return alarm === 'first' ? raised[0] : [...new Set(raised)].sort()
}

function copyAnswer(value: string | number | readonly string[] | undefined): ScenarioAnswer | undefined {
  return typeof value === 'object' ? [...value].sort() : value
}

/** Tests an answer: numbers within the tolerance, lists in any order, texts in any letter case. */
export function isRight({ tolerance }: Question, given: ScenarioAnswer, right: ScenarioAnswer | undefined): boolean {
  if (typeof right === 'number') return typeof given === 'number' && Math.abs(given - right) <= tolerance
  const fold = (answer: ScenarioAnswer | undefined) =>
    [answer ?? []]
      .flat()
      .map((one) => String(one).trim().toLowerCase())
      .sort()
      .join('\n')
  return fold(given) === fold(right)
}
