import { expect, it } from 'vitest'
import { defaultConfiguration } from '#grid/configuration.ts'
import { readSource } from '#grid/dataset/source.ts'
import case9 from '../../../src/grid/network/cases/case9.json' with { type: 'json' }
import { sessionDocument } from '../../support/grid-session.ts'

const document = sessionDocument()
const order = {
  attack_id: 'A-1',
  params: {},
  schedule: { start_frame: 0, duration_frames: 0 },
  target_link: null,
  seed: 1,
}
const commanded = (command: object) => ({ ...document, commands: [{ step: 1, ...command }] })
const enable = (type: string) => ({ kind: 'enable', step: 1, order: { ...order, type } })

it.each([
  ['Drift', document, 'its name is not 1 to 64 of a-z'],
  ['drift', { ...document, field: [] }, 'masters from outside took part'],
  ['drift', { ...document, format: 'pcap' }, 'format is "pcap"'],
  ['drift', { ...document, configuration: { ...defaultConfiguration, mode: 'external' } }, 'its mode is "external"'],
  ['drift', { ...document, steps: 0 }, 'steps is 0, expected 1 to 360000'],
  ['drift', { ...document, steps: 400_000 }, 'steps is 400000, expected 1 to 360000'],
  ['drift', { ...document, commands: [{ kind: 'load', step: 10, scale: 1 }] }, 'the command "load" has step 10'],
  [
    'drift',
    { ...document, commands: [5, 4].map((step) => ({ kind: 'load', step, scale: 1 })) },
    'the command "load" of step 4 comes after one of step 5, expected the order of their steps',
  ],
  [
    'drift',
    { ...document, commands: [{ kind: 'switch', step: 1, breaker: 'CB-9', closed: true }] },
    'no breaker "CB-9"',
  ],
  ['drift', { ...document, commands: [{ kind: 'restore', step: 1, bus: 99, share: 1 }] }, 'there is no bus 99'],
  ['drift', commanded({ kind: 'restore', bus: 7, share: 1 }), 'of step 1: there is no load at bus 7'],
  ['drift', commanded({ kind: 'generator', bus: 4, connected: true }), 'of step 1: there is no machine at bus 4'],
  ['drift', commanded({ kind: 'generator', bus: 2, p_mw: 1_000 }), 'of step 1: it takes 0 to 140 MW, not 1000'],
  ['drift', commanded({ kind: 'trip', bus: 4 }), 'of step 1: there is no machine at bus 4'],
  [
    'drift',
    commanded({ kind: 'tap', breaker: 'CB-2-3', position: 1 }),
    'of step 1: CB-2-3 has no transformer with a tap; those of CB-4-7, CB-4-9, CB-5-6 have one',
  ],
  ['drift', { ...document, commands: [enable('NOISY')] }, 'did you mean "NOISE"?'],
])('readSource() of %s refuses %j', (name, value, message) => {
  expect(() => readSource(name, value)).toThrow(message)
})

it('readSource() takes a network that the configuration carries, and refuses one that cannot be computed with', () => {
  const carry = (network: object) => ({
    ...document,
    configuration: { ...defaultConfiguration, case: 'town', network },
  })
  expect(readSource('drift', carry(case9)).configuration).toMatchObject({ case: 'town', network: case9 })
  expect(() => readSource('drift', carry({ ...case9, slackBus: 99 }))).toThrow('slack bus 99 does not exist')
  expect(() => readSource('drift', carry({ ...case9, f0Hz: 0 }))).toThrow('its frequency is 0 Hz, expected 16 to 70')
  expect(() => readSource('drift', carry({ ...case9, buses: [[1]] }))).toThrow('the row 1 is not of 11 numbers')
  expect(() => readSource('drift', carry({}))).toThrow('configuration.network')
})
