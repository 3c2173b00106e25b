/** The engine: the same session gives the same octets, in one go, interrupted, and computed again. */

import { describe, expect, it } from 'vitest'
import { encodeHex } from '#base/hex.ts'
import { attacks } from '#grid/attacks/catalogue.ts'
import { type Command, type Configuration, defaultConfiguration } from '#grid/configuration.ts'
import { createWorld, findTelecontrol, replay, step, type World } from '#grid/engine.ts'
import { decodeFrame } from '#grid/link/frame.ts'
import type { NewRecords } from '#grid/records/records.ts'
import { applyCommand } from '#grid/step/apply-command.ts'
import case14 from '../../src/grid/network/cases/case14.json' with { type: 'json' }
import { orderOf, runSteps, startTime } from '../support/grid-session.ts'

const configuration: Configuration = { ...defaultConfiguration, seed: 7, start_time: startTime, iec61850: 2 }

/** A command for every attack, five steps apart, all of them active together at the end. */
function everyAttack(world: World): Command[] {
  return attacks.map(({ type }, index) => ({
    kind: 'enable' as const,
    step: 20 + index * 5,
    order: { ...orderOf(world, type), attack_id: `${type}-${index + 1}` },
  }))
}

function digest({ incidents, packets, frames }: NewRecords): string {
  return JSON.stringify([incidents, packets, frames.map((frame) => ({ ...frame, bytes: encodeHex(frame.bytes) }))])
}

function digests(commands: readonly Command[], steps: number, seed = 7): string[] {
  const world = createWorld({ ...configuration, seed })
  return [...replay(world, { commands }, steps)].map(digest)
}

const commands = everyAttack(createWorld(configuration))
/** Three seconds in which all act, a scan among them. */
const steps = (commands.at(-1)?.step ?? 0) + 30
const whole = digests(commands, steps)

/** Half a minute without an attack, which several tests read. */
const quiet = runSteps(createWorld(configuration), 300)

describe('replay()', () => {
  it('gives the same frames, labels and incidents for the same seed and commands, under every attack at once', () => {
    expect(digests(commands, steps)).toEqual(whole)
  })

  it('gives others for another seed', () => {
    expect(digests([], 30)).not.toEqual(digests([], 30, 8))
  })
})

describe('step()', () => {
  it('sheds no load of a grid of 50 Hz, whose units report their nominal frequency', () => {
    const world = createWorld({ ...configuration, network: { ...case14, f0Hz: 50 } })
    const events = Array.from({ length: 120 }, () => step(world).events).flat()
    expect(events.filter(({ topic, data }) => topic === 'alarm' || JSON.stringify(data).includes('shedding'))).toEqual(
      [],
    )
    expect([world.plant.shed, findTelecontrol(world).nominalHz]).toEqual([{}, 50])
  })

  it('continues with the same octets from a world that was serialised and read again at any step', () => {
    let world = createWorld(configuration)
    const parts: string[] = []
    for (let index = 0; index < steps; index++) {
      // As a snapshot does it: text and back, every few steps, in the middle of replays, delays and sessions.
      if (index % 7 === 3) world = JSON.parse(JSON.stringify(world))
      for (const command of commands) if (command.step === index) applyCommand(world, command)
      parts.push(digest(step(world)))
    }
    expect(parts).toEqual(whole)
  })

  it('never lets the capture run backwards and numbers its frames without a gap', () => {
    const frames = quiet.outputs.flatMap(({ frames }) => frames)
    const times = frames.map(({ timeUs }) => timeUs)
    expect(times).toEqual([...times].sort((one, other) => one - other))
    expect(frames.map(({ frameNo }) => frameNo)).toEqual(frames.map((_, index) => index + 1))
    expect(frames.length).toBeGreaterThan(400)
  })

  it.each(['case14', 'case39'] as const)(
    'sends the octets of each TCP connection of %s in the order of their numbers, also when a breaker moves in a poll',
    (name) => {
      const world = createWorld({ ...configuration, case: name, scan_s: 1 })
      const breakers = [...findTelecontrol(world).branchByBreaker.keys()]
      const next = new Map<string, number>()
      for (let index = 0; index < 80; index++) {
        const breaker = breakers[Math.floor(index / 2) % breakers.length] ?? ''
        applyCommand(world, { kind: 'switch', step: index, breaker, closed: index % 2 === 1 })
        for (const { bytes, src, dst } of step(world).frames) {
          const frame = decodeFrame(bytes)
          if (!frame.ok || frame.value.carrier !== 'tcp' || frame.value.payload.length === 0) continue
          const { sequence } = frame.value.segment
          const expected = next.get(`${src} ${dst}`) ?? sequence
          expect(`${src} ${dst} ${sequence}`).toBe(`${src} ${dst} ${expected}`)
          next.set(`${src} ${dst}`, (sequence + frame.value.payload.length) >>> 0)
        }
      }
      expect(next.size).toBeGreaterThan(20)
    },
  )

  it('sends every protocol in each of its directions', () => {
    const incidents = quiet.outputs.flatMap(({ incidents }) => incidents)
    const seen = new Set(
      incidents.map(({ protocol, src_node }) => {
        const isDown = src_node === 'CC' || src_node === 'PDC'
        return `${protocol} ${isDown ? 'down' : 'up'}`
      }),
    )
    expect([...seen].sort()).toEqual([
      'C37.118 down',
      'C37.118 up',
      'DNP3 down',
      'DNP3 up',
      'GOOSE up',
      'IEC104 down',
      'IEC104 up',
      'MMS down',
      'MMS up',
      'Modbus down',
      'Modbus up',
      'SV up',
    ])
  })

  it('keeps detectors quiet without an attack: no alarm but the one in a hundred of a chi-square test', () => {
    const { view } = quiet.world
    expect(view.alarms.filter(({ detector }) => !['chi_square', 'largest_residual'].includes(detector))).toEqual([])
    expect(view.alarmCount).toBeLessThanOrEqual(3)
  })

  it('marks a gap once, with an incident that the stream does not carry', () => {
    const world = createWorld(configuration)
    step(world)
    applyCommand(world, { kind: 'clock', step: 1, timeUs: (startTime + 900) * 1e6, reason: 'gap' })
    const { incidents, events } = step(world)
    expect(incidents.filter(({ protocol }) => protocol === 'SIM')).toMatchObject([
      { status: 'clean', attack_type: 'NONE' },
    ])
    expect(events.filter(({ topic }) => topic === 'gap')).toHaveLength(1)
    expect(step(world).incidents.some(({ protocol }) => protocol === 'SIM')).toBe(false)
  })

  it.each(['case9', 'case30', 'case39', 'case118'] as const)('runs %s at rest', (name) => {
    const world = createWorld({ ...configuration, case: name })
    for (let index = 0; index < 25; index++) step(world)
    expect(world.plant.open).toEqual([])
    expect(world.plant.solution.servedMw).toBeCloseTo(world.plant.solution.demandMw, 3)
    expect(world.plant.frequency.islands[0]?.frequencyHz).toBeCloseTo(60, 1)
  })
})
