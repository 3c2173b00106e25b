/** IEC 104 stations: what each message acknowledges when it leaves, and connections on which no answer comes. */

import { describe, expect, it } from 'vitest'
import { findTelecontrol, type World, worldTimeUs } from '#grid/engine.ts'
import { decodeIec104 } from '#grid/protocols/iec104.ts'
import { fromCp56Time } from '#grid/protocols/iec104-time.ts'
import { applyCommand } from '#grid/step/apply-command.ts'
import { disableAll, openFrame } from '#test/support/attack-session.ts'
import { calmStretch, enable, runSteps, type Stretch, startWorld } from '#test/support/grid-session.ts'

/** The N(R) of every I- and S-format beside the number of I-formats that had come from the other end by then. */
function acknowledgments({ frames }: Stretch): readonly { readonly told: number; readonly received: number }[] {
  const sent = new Map<string, number>()
  return frames.flatMap((frame) => {
    const link = frame.protocol === 'IEC104' && frame.payloadLength > 0 ? openFrame(frame) : undefined
    const decoded = link?.carrier === 'tcp' ? decodeIec104(link.payload) : undefined
    if (decoded?.ok !== true || decoded.value.format === 'U') return []
    const received = sent.get(`${frame.dst} ${frame.src}`) ?? 0
    const own = `${frame.src} ${frame.dst}`
    if (decoded.value.format === 'I') sent.set(own, (sent.get(own) ?? 0) + 1)
    return [{ told: decoded.value.receiveSequence, received }]
  })
}

/** Microseconds since the Unix epoch of the messages that carry values by themselves, and of the times in them. */
function spontaneousValues({ frames }: Pick<Stretch, 'frames'>) {
  return frames.flatMap((frame) => {
    const link = frame.protocol === 'IEC104' && frame.payloadLength > 0 ? openFrame(frame) : undefined
    const decoded = link?.carrier === 'tcp' ? decodeIec104(link.payload) : undefined
    if (decoded?.ok !== true || decoded.value.format !== 'I' || decoded.value.asdu.type !== 'M_ME_TF_1') return []
    const { cause, objects } = decoded.value.asdu
    return objects.map(({ time }) => ({ cause, sentUs: frame.timeUs, measuredMs: fromCp56Time(time) }))
  })
}

describe('IEC 104 stations', () => {
  it.each([
    ['scan', 2_100],
    ['at_once', 300],
  ] as const)('with values that leave their dead band %s send them within %d ms of a switching', (spontaneous, ms) => {
    const { world } = calmStretch(43, { spontaneous })
    const orderedUs = worldTimeUs(world)
    applyCommand(world, { kind: 'switch', step: world.step, breaker: 'CB-4-5', closed: false })
    const values = spontaneousValues(runSteps(world, 40))
    expect(values.length).toBeGreaterThan(3)
    for (const { cause, sentUs, measuredMs } of values) {
      expect([cause, sentUs >= measuredMs * 1_000]).toEqual([3, true])
      expect(sentUs - measuredMs * 1_000).toBeLessThan(100_000)
    }
    const first = Math.min(...values.map(({ sentUs }) => sentUs)) - orderedUs
    expect([first > 0, first < ms * 1_000]).toEqual([true, true])
    if (spontaneous === 'scan') expect(first).toBeGreaterThan(1_000_000)
  })

  it('send values at once while each load has its noise, and raise no alarm', () => {
    const world = startWorld({ spontaneous: 'at_once', bus_noise: 0.05, load_noise: 0.02, start_time: 1_764_000_000 })
    const values = spontaneousValues(runSteps(world, 1_200))
    expect(values.length).toBeGreaterThan(10)
    expect(new Set(values.map(({ sentUs }) => Math.floor(sentUs / 100_000) % 20)).size).toBeGreaterThan(3)
    expect(world.view.alarms).toEqual([])
  })

  it('acknowledge in every message what had arrived when it left, however long it had waited', () => {
    const world = startWorld()
    const parts = [runSteps(world, 41)]
    // A sweep queues commands whose answers come while later ones still wait.
    enable(world, 'IEC104_BREAKER_CMD', { ioa_from: 1001, ioa_to: 1012, interval_ms: 10 })
    parts.push(runSteps(world, 60))
    const told = acknowledgments({ ...(parts[0] ?? runSteps(world, 0)), frames: parts.flatMap(({ frames }) => frames) })
    expect(told.length).toBeGreaterThan(60)
    expect(told.filter(({ told: number, received }) => number !== received)).toEqual([])
  })

  it.each(
    ['bad_length', 'truncated', 'unknown_function', 'wrong_object_count'].flatMap((kind) =>
      [0, 41].map((begin) => [kind, begin] as const),
    ),
  )('report again when an attacker stops who broke every message by %s from step %d on', (kind, begin) => {
    const world = startWorld({ case: 'case9' })
    runSteps(world, begin)
    enable(world, 'MALFORMED', { protocol: 'IEC104', kind, rate_percent: 100 })
    runSteps(world, 200)
    disableAll(world)
    // t1 of 15 s and two scans.
    runSteps(world, 200)
    expect(silentStations(world)).toEqual([])
  })

  it.each([0, 946_684_799, 4_102_444_800])('report a breaker that moves in a session from second %d', (second) => {
    const { world } = calmStretch(41, { case: 'case9', start_time: second })
    applyCommand(world, { kind: 'switch', step: world.step, breaker: 'CB-1-4', closed: false })
    runSteps(world, 41)
    expect(world.view.closed[1]).toBe(false)
    expect(silentStations(world)).toEqual([])
  })

  it('close a connection from the end whose messages are not acknowledged for 15 s', () => {
    const { world } = calmStretch(41, { case: 'case9' })
    enable(world, 'MALFORMED', { protocol: 'IEC104', kind: 'truncated', rate_percent: 100 })
    const ends = runSteps(world, 250).frames.flatMap((frame) => {
      const link = openFrame(frame)
      return link.carrier === 'tcp' && link.segment.control.includes('fin') ? [link.sourcePort] : []
    })
    // Three outstations, whose FIN is answered by one.
    expect(ends.slice(0, 2)).toEqual([2404, expect.any(Number)])
    expect(ends.filter((port) => port === 2404)).toHaveLength(ends.length / 2)
  })
})

/** Outstations of IEC 104 from which nothing has arrived for two scans. */
function silentStations(world: World): readonly string[] {
  const { heardUs } = world.view
  return findTelecontrol(world)
    .outstations.filter(({ protocol }) => protocol === 'IEC104')
    .map(({ node }) => node)
    .filter((node) => worldTimeUs(world) - (heardUs[node] ?? 0) > 4_500_000)
}
