import { expect, it } from 'vitest'
import { defaultConfiguration } from '#grid/configuration.ts'
import { readSource } from '#grid/dataset/source.ts'
import { sessionDocument } from '../../support/grid-session.ts'

const document = sessionDocument()
const order = {
  attack_id: 'A-1',
  params: {},
  schedule: { start_frame: 0, duration_frames: 0 },
  target_link: null,
  seed: 1,
}
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
    { ...document, commands: [{ kind: 'switch', step: 1, breaker: 'CB-9', closed: true }] },
    'no breaker "CB-9"',
  ],
  ['drift', { ...document, commands: [{ kind: 'restore', step: 1, bus: 99, share: 1 }] }, 'there is no bus 99'],
  ['drift', { ...document, commands: [enable('NOISY')] }, 'did you mean "NOISE"?'],
])('readSource() of %s refuses %j', (name, value, message) => {
  expect(() => readSource(name, value)).toThrow(message)
})
