/** An exercise: noise on measurements for ten seconds, the incidents that it leaves, and a capture that opens again. */

import {
  applyCommand,
  attackSeed,
  captureFrames,
  createWorld,
  defaultConfiguration,
  encodePcapng,
  findTelecontrol,
  readCapture,
  readOrder,
  showIncident,
  step,
} from 'sluice/grid'
import { expect, it } from 'vitest'

/** Computes seconds of a session, ten steps each. */
function run(world, seconds) {
  return Array.from({ length: seconds * 10 }, () => step(world))
}

function enable(world, type, params) {
  const { order, mistakes } = readOrder({ type, params }, findTelecontrol(world), attackSeed(world))
  expect(mistakes).toBeUndefined()
  applyCommand(world, { kind: 'enable', step: world.step, order: { ...order, attack_id: 'noise-1' } })
}

it('noise on measurements leaves incidents that show both values', () => {
  const world = createWorld({ ...defaultConfiguration, seed: 7, start_time: 1_764_000_000 })
  expect(
    run(world, 10)
      .flatMap(({ incidents }) => incidents)
      .filter(({ status }) => status === 'attacked'),
  ).toEqual([])
  enable(world, 'NOISE', { noise_std: 3 })
  const outputs = run(world, 10)
  const attacked = outputs
    .flatMap(({ incidents }) => incidents.map(showIncident))
    .filter(({ status }) => status === 'attacked')
  expect(attacked.length).toBeGreaterThan(0)
  expect(attacked[0].attack_type).toBe('NOISE')
  expect(attacked[0].original_val).not.toEqual(attacked[0].modified_val)

  const frames = outputs.flatMap((output) => output.frames)
  const capture = Buffer.concat([...encodePcapng(captureFrames(frames, new Map()))])
  expect(readCapture(capture).length).toBeGreaterThan(frames.length / 2)
})
