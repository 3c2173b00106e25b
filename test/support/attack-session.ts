/** An attack at work beside an untouched twin of the same session, and what became of every frame. */

import { encodeHex } from '#base/hex.ts'
import { findAttack } from '#grid/attacks/catalogue.ts'
import type { Configuration } from '#grid/configuration.ts'
import type { Alarm } from '#grid/contract/grid.ts'
import { findTelecontrol, type World } from '#grid/engine.ts'
import { decodeFrame, type LinkFrame } from '#grid/link/frame.ts'
import { decodeC37118 } from '#grid/protocols/c37118.ts'
import type { C37118Measurement } from '#grid/protocols/c37118-data.ts'
import { toPolar } from '#grid/protocols/c37118-data.ts'
import { applyCommand } from '#grid/step/apply-command.ts'
import { streamConfigurations } from '#grid/telecontrol/phasor-configuration.ts'
import type { Incident, PacketRecord } from '#grid/types.ts'
import { calmStretch, enable, runSteps, type Stretch } from './grid-session.ts'

/** Two sessions that were one until the attack began. The untouched one is computed when a test asks for it. */
export interface Duel {
  readonly attackId: string
  readonly attacked: Stretch
  readonly twin: Stretch
  /** Alarms that the attacked session raised since the attack began, and the twin. */
  readonly alarms: readonly Alarm[]
  readonly twinAlarms: readonly Alarm[]
}

/** Length of a duel in steps, and the configuration of its session. */
export interface DuelOptions {
  readonly steps?: number
  /** Steps before the attack; two scans by default. */
  readonly warmUp?: number
  readonly configuration?: Partial<Configuration>
}

/** Runs an attack and its twin; `schedule`, `target_link` and `seed` are among the parameters. */
export function duel(
  type: string,
  params: Readonly<Record<string, unknown>> = {},
  { steps = 60, warmUp = 40, configuration = {} }: DuelOptions = {},
): Duel {
  // Loads at rest: what moves then is the attack.
  const settings = { load_speed: 0, ...configuration }
  const { world } = calmStretch(warmUp, settings)
  const before = world.view.alarms.length
  enable(world, type, params)
  const attackId = world.lastAttackId ?? ''
  const attacked = runSteps(world, steps)
  let twin: Stretch | undefined
  return {
    attackId,
    attacked,
    alarms: world.view.alarms.slice(before),
    get twin() {
      twin ??= twinOf(warmUp, steps, settings)
      return twin
    },
    get twinAlarms() {
      return this.twin.world.view.alarms.slice(before)
    },
  }
}

const twins = new Map<string, Stretch>()

/** Runs an untouched session after its warm-up. Each is computed once; its world is the caller's own. */
function twinOf(warmUp: number, steps: number, settings: Partial<Configuration>): Stretch {
  const key = JSON.stringify([warmUp, steps, settings])
  const known = twins.get(key) ?? runSteps(calmStretch(warmUp, settings).world, steps)
  if (steps <= 200) twins.set(key, known)
  return { ...known, world: structuredClone(known.world) }
}

/** Ends every attack of a world. */
export function disableAll(world: World): void {
  const attackIds = world.attacks.map(({ order }) => order.attack_id)
  applyCommand(world, { kind: 'disable', step: world.step, attackIds })
}

/** Lists the detectors of alarms and their places, each once: `chi_square state estimation`. */
export function alarmNames(alarms: readonly Alarm[]): string[] {
  return [...new Set(alarms.map(({ detector, where }) => `${detector} ${where}`))].sort()
}

/** Only the detectors, each once. */
export function detectors(alarms: readonly Alarm[]): string[] {
  return [...new Set(alarms.map(({ detector }) => detector))].sort()
}

/** Decodes a frame down to its application; throws at the first wrong length or checksum. */
export function openFrame({ bytes, frameNo }: PacketRecord): LinkFrame {
  const decoded = decodeFrame(bytes)
  if (!decoded.ok) throw new Error(`frame ${frameNo}: ${decoded.fault.message}`)
  return decoded.value
}

/** The application's octets of a frame; of a GOOSE frame all octets, because the publisher is its application. */
export function payloadOf(frame: PacketRecord): Uint8Array {
  const link = openFrame(frame)
  return link.carrier === 'udp' || link.carrier === 'tcp' ? link.payload : frame.bytes
}

/** A message as the attacker took it and as he let it go; no `after` when he kept it. */
export interface Handling {
  readonly before: PacketRecord
  readonly after: PacketRecord | undefined
}

/** Pairs what went into the attacker's hands with what came out of them, in the order of each flow. */
export function handled({ frames }: Pick<Stretch, 'frames'>): readonly Handling[] {
  const waiting = frames.filter(
    ({ tap, label, payloadLength }) => tap === 'before' && label !== null && payloadLength > 0,
  )
  const released = frames.filter(
    ({ tap, label, payloadLength }) => tap === 'after' && label !== null && payloadLength > 0,
  )
  return waiting.map((before) => {
    if (before.status === 'dropped') return { before, after: undefined }
    const ordinal = waiting.filter((one) => isSameWay(one, before)).indexOf(before)
    return { before, after: released.filter((one) => isSameWay(one, before))[ordinal] }
  })
}

function isSameWay(left: PacketRecord, right: PacketRecord): boolean {
  return (
    left.src === right.src && left.dst === right.dst && (left.status === 'dropped') === (right.status === 'dropped')
  )
}

/** Positions at which two messages differ; octets that one of them lacks count as different. */
export function changedOctets(before: Uint8Array, after: Uint8Array): number[] {
  const length = Math.max(before.length, after.length)
  return Array.from({ length }, (_, at) => at).filter((at) => before[at] !== after[at])
}

/** Offsets of the fields of a phasor data frame (IEEE C37.118.2 clause 6.3, polar floats, one unit). */
export const phasorField = {
  time: range(6, 8),
  status: range(14, 2),
  magnitude: (phasor: number) => range(16 + phasor * 8, 4),
  angle: (phasor: number) => range(20 + phasor * 8, 4),
  frequency: (octets: Uint8Array) => range(octets.length - 10, 4),
  rocof: (octets: Uint8Array) => range(octets.length - 6, 4),
  checksum: (octets: Uint8Array) => range(octets.length - 2, 2),
  /** Number of phasors in a frame of this length. */
  count: (octets: Uint8Array) => (octets.length - 26) / 8,
} as const

function range(from: number, length: number): number[] {
  return Array.from({ length }, (_, index) => from + index)
}

/** All phasors of a frame. */
export function phasorsOf(octets: Uint8Array): number[] {
  return range(0, phasorField.count(octets))
}

/** A phasor data frame's measurement, its checksum verified, with polar phasors. */
export function measurementOf(world: World, frame: PacketRecord) {
  const plan = findTelecontrol(world)
  const site = plan.pmus.find(({ host }) => frame.src.startsWith(`${host.ip}:`))
  const configuration = streamConfigurations(plan, world.configuration.pmu_rate).get(site?.link ?? '')
  const decoded = decodeC37118(payloadOf(frame), configuration)
  if (!decoded.ok) throw new Error(decoded.fault.message)
  if (decoded.value.kind !== 'data') throw new Error(`frame ${frame.frameNo} is no data frame`)
  const [unit] = decoded.value.pmus
  if (unit === undefined) throw new Error(`frame ${frame.frameNo} has no unit`)
  return { ...unit, node: site?.node ?? '', time: decoded.value.time, phasors: unit.phasors.map(toPolar) }
}

/** The measurements of a message before and after the attacker. */
export function measurementsOf(world: World, { before, after }: Handling) {
  if (after === undefined) throw new Error(`frame ${before.frameNo} never arrived`)
  return { was: measurementOf(world, before), is: measurementOf(world, after) }
}

/** The incident that tells of a frame. */
export function incidentOf({ incidents }: Stretch, frame: PacketRecord): Incident | undefined {
  return incidents.find(({ frame_no }) => frame_no === frame.frameNo)
}

/** Frames that are whole, as hexadecimal text with their moments. */
export function octetsOf(frames: readonly PacketRecord[]): string[] {
  return frames.map(({ timeUs, bytes }) => `${timeUs} ${encodeHex(bytes)}`)
}

/** Lists the fields of a phasor frame that differ, at the seven digits of a float, as its detailed label must. */
export function phasorChanges(
  was: Pick<C37118Measurement, 'frequencyHz' | 'rocofHzPerS'> & {
    readonly phasors: readonly { readonly magnitude: number; readonly angle: number }[]
  },
  is: typeof was,
) {
  const digits = (value: number) => Number(value.toPrecision(7))
  const fields = [
    ...was.phasors.flatMap((phasor, index) =>
      (['magnitude', 'angle'] as const).map((name) => ({
        field: `pmus.0.phasors.${index}.${name}`,
        old: digits(phasor[name]),
        new: digits(is.phasors[index]?.[name] ?? Number.NaN),
      })),
    ),
    ...(['frequencyHz', 'rocofHzPerS'] as const).map((name) => ({
      field: `pmus.0.${name}`,
      old: digits(was[name]),
      new: digits(is[name]),
    })),
  ]
  return fields.filter(({ old, new: now }) => old !== now)
}

/** The definition of an attack; throws for one that does not exist. */
export function attackNamed(type: string) {
  const definition = findAttack(type)
  if (definition === undefined) throw new Error(`no attack ${type}`)
  return definition
}
