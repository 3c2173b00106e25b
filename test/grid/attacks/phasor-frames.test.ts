/** Falsified phasor frames: what a change touches, what it leaves, and which units have the phasor of an index. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  addToMagnitudes,
  changeMagnitudes,
  checkPhasorIndex,
  indexedLinks,
  isPhasorData,
  type PolarMeasurement,
  phasorLinks,
  rewritePhasors,
} from '#grid/attacks/phasor-frames.ts'
import { findCase } from '#grid/network/cases/catalogue.ts'
import { decodeC37118, encodeC37118, toC37118Time } from '#grid/protocols/c37118.ts'
import { planTelecontrol } from '#grid/telecontrol/plan-telecontrol.ts'
import { contextOf, datagram } from '../../support/grid-context.ts'
import { must, mustDecode } from '../../support/must.ts'

const measurement: PolarMeasurement = {
  status: 0,
  phasors: [
    { magnitude: 120, angle: 0.5 },
    { magnitude: 5, angle: -1 },
    { magnitude: 1, angle: 2 },
  ],
  frequencyHz: 60,
  rocofHzPerS: 0,
  analogs: [],
  digitals: [],
}

const magnitudes = ({ phasors }: PolarMeasurement) => phasors.map(({ magnitude }) => magnitude)

describe('changeMagnitudes()', () => {
  it('changes one channel, or all for -1, and no angle', () => {
    const double = (index: number) => changeMagnitudes(measurement, index, (magnitude) => magnitude * 2)
    expect(magnitudes(double(1))).toEqual([120, 10, 1])
    expect(magnitudes(double(-1))).toEqual([240, 10, 2])
    expect(magnitudes(double(9))).toEqual([120, 5, 1])
    expect(double(-1).phasors.map(({ angle }) => angle)).toEqual([0.5, -1, 2])
  })

  it('never gives a magnitude below zero', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, min: -1e6, max: 1e6 }), (by) => {
        for (const value of magnitudes(changeMagnitudes(measurement, -1, (magnitude) => magnitude + by))) {
          expect(value).toBeGreaterThanOrEqual(0)
        }
      }),
      { seed: 29, numRuns: 50 },
    )
  })
})

describe('addToMagnitudes()', () => {
  it('adds volts to the voltage and the same share of 5 A to currents: 12 V are a tenth, 0.5 A', () => {
    expect(magnitudes(addToMagnitudes(measurement, -1, () => 12))).toEqual([132, 5.5, 1.5])
  })

  it('draws another number for each channel', () => {
    let volts = 0
    const noisy = addToMagnitudes(measurement, -1, () => {
      volts += 24
      return volts
    })
    expect(magnitudes(noisy)).toEqual([144, 7, 4])
  })
})

describe('indexedLinks()', () => {
  const plan = planTelecontrol(findCase('case14'))

  it('are the units that report a phasor at the index, all of them for the voltage and for -1', () => {
    for (const phasor_idx of [-1, 0]) expect(indexedLinks({ phasor_idx }, plan)).toEqual(phasorLinks({}, plan))
    for (const phasor_idx of [1, 2, 3, 4, 5]) {
      const counts = plan.pmus.filter(({ currents }) => currents.length >= phasor_idx)
      expect(indexedLinks({ phasor_idx }, plan)).toEqual(counts.map(({ link }) => link))
    }
  })
})

describe('checkPhasorIndex()', () => {
  it('names the last index that any unit has', () => {
    const plan = planTelecontrol(findCase('case9'))
    const last = Math.max(...plan.pmus.map(({ currents }) => currents.length))
    expect(checkPhasorIndex({ phasor_idx: last }, plan)).toEqual([])
    expect(checkPhasorIndex({ phasor_idx: last + 1 }, plan)).toEqual([
      {
        path: 'params.phasor_idx',
        message: `Parameter "phasor_idx" is ${last + 1}, and the phasors of the network's units go up to ${last}`,
      },
    ])
  })
})

describe('rewritePhasors()', () => {
  const context = contextOf()
  const { link, currents } = must(context.plan.pmus[0])
  const configuration = must(context.configurationOf(link))
  const block = {
    ...measurement,
    phasors: [{ magnitude: 120, angle: 0.5 }, ...currents.map(() => ({ magnitude: 5, angle: 0.25 }))],
    analogs: must(configuration.pmus[0]).analogs.map(() => 0),
    digitals: must(configuration.pmus[0]).digitals.map(() => 0),
  }
  const time = toC37118Time(context.startUs, configuration.timeBase, 0x0f)
  const payload = encodeC37118({ kind: 'data', idCode: 1, time, pmus: [block] }, configuration)
  const message = (octets: Uint8Array, on = link) =>
    datagram(context, 0, octets, { protocol: 'C37.118', link: on, purpose: 'reporting' })

  it('changes the measurement and keeps stream, time and its quality, with a checksum that holds', () => {
    const changed = must(rewritePhasors(context, message(payload), (unit) => ({ ...unit, frequencyHz: 61 })))
    const frame = mustDecode(decodeC37118(changed, configuration))
    const before = mustDecode(decodeC37118(payload, configuration))
    if (frame.kind !== 'data' || before.kind !== 'data') throw new Error('expected data frames')
    expect(frame).toEqual({ ...before, pmus: [{ ...must(before.pmus[0]), frequencyHz: 61 }] })
  })

  it('gives the very octets where the change changes nothing', () => {
    expect(rewritePhasors(context, message(payload), (unit) => unit)).toEqual(payload)
  })

  it('leaves what is not a data frame of a known stream', () => {
    const command = encodeC37118({ kind: 'command', idCode: 1, time, command: 'data_on', extension: new Uint8Array(0) })
    for (const other of [message(command), message(payload.subarray(1)), message(payload, 'nowhere')]) {
      expect(rewritePhasors(context, other, (unit) => unit)).toBeUndefined()
    }
  })

  it('is asked for reports of phasor units only', () => {
    expect(isPhasorData(message(payload))).toBe(true)
    expect(isPhasorData({ ...message(payload), purpose: 'command' })).toBe(false)
    expect(isPhasorData({ ...message(payload), protocol: 'DNP3' })).toBe(false)
  })
})
