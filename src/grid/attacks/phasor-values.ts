/** Attacks that falsify the values of phasor data frames: one row for each, with the measurement that it makes of a true one. */

import { toRadians } from '../angles.ts'
import { type AnyAttack, type AttackDefinition, type AttackScene, defineAttack } from './definition.ts'
import type { Params, ParamTable } from './params.ts'
import {
  addToMagnitudes,
  changeMagnitudes,
  changePhasors,
  checkPhasorIndex,
  falsePhasors,
  indexedLinks,
  type PolarMeasurement,
  phasorLinks,
  rewritePhasors,
} from './phasor-frames.ts'

/** The parts in which these attacks differ. */
interface Falsification<Table extends ParamTable>
  extends Pick<
      AttackDefinition<Table>,
      'type' | 'name' | 'params' | 'frameEffect' | 'gridEffect' | 'expectedDetection'
    >,
    Partial<Pick<AttackDefinition<Table>, 'aliases' | 'links' | 'check'>> {
  /** The false measurement; the true one leaves a frame as it is. */
  falsify(measurement: PolarMeasurement, params: Params<Table>, scene: AttackScene<unknown>): PolarMeasurement
  describe(params: Params<Table>, frame: number): string
}

function falsifyValues<const Table extends ParamTable>({
  falsify,
  describe,
  ...identity
}: Falsification<Table>): AnyAttack {
  return defineAttack<Table>({
    ...falsePhasors,
    ...identity,
    alter(message, scene) {
      const { context, params, frame } = scene
      const payload = rewritePhasors(context, message, (measurement) => falsify(measurement, params, scene))
      return payload && { kind: 'modify', payload, description: describe(params, frame) }
    },
  })
}

/** Description of a parameter in volts that is added to every channel. */
const perUnitShare = 'of 120 V; a current gets the same share of 5 A'

const target = { type: 'string', default: 'magnitude', enum: ['magnitude', 'frequency'] } as const
const anyPhasor = { type: 'integer', default: -1, min: -1, max: 5, description: '-1 means all phasors' } as const
const onePhasor = { type: 'integer', default: 0, min: 0, max: 5 } as const

const onPhasor = { links: indexedLinks, check: checkPhasorIndex }

/** Attacks on the frequency, which every unit has, or on phasors. */
const onTarget = {
  links: (params, plan) => (params.target === 'frequency' ? phasorLinks : indexedLinks)(params, plan),
  check: (params, plan) => (params.target === 'frequency' ? [] : checkPhasorIndex(params, plan)),
} satisfies Partial<AttackDefinition<{ target: typeof target; phasor_idx: typeof anyPhasor }>>

/** Adds to the frequency in hertz, or to the magnitudes of phasors in volts. */
function addToTarget(
  measurement: PolarMeasurement,
  params: { readonly target: 'magnitude' | 'frequency'; readonly phasor_idx: number },
  amount: number,
): PolarMeasurement {
  return params.target === 'frequency'
    ? { ...measurement, frequencyHz: measurement.frequencyHz + amount }
    : addToMagnitudes(measurement, params.phasor_idx, () => amount)
}

/** Gaussian noise on every phasor of every frame. */
export const noise = falsifyValues({
  type: 'NOISE',
  name: 'Gaussian measurement noise',
  params: {
    noise_std: { type: 'number', default: 1, min: 0.01, max: 100, unit: 'V', description: perUnitShare },
    add_freq_noise: { type: 'boolean', default: false },
    freq_std: { type: 'number', default: 0.05, min: 0.001, max: 5, unit: 'Hz' },
  },
  aliases: { std_dev: 'noise_std' },
  frameEffect:
    'phasor magnitudes (and optionally FREQ) get seeded Gaussian noise, currents in proportion to their base; time stamps stay',
  gridEffect: 'measured view only; J of the estimate rises with noise_std',
  expectedDetection: 'state estimation chi-square, variance of a channel, frequency against the neighbours',
  falsify(measurement, { noise_std, add_freq_noise, freq_std }, { normal }) {
    const noisy = addToMagnitudes(measurement, -1, () => noise_std * normal())
    return { ...noisy, frequencyHz: measurement.frequencyHz + (add_freq_noise ? freq_std * normal() : 0) }
  },
  describe: ({ noise_std }) => `Gaussian noise, std ${noise_std} V`,
})

/** A slow ramp of magnitudes or of the frequency. */
export const ramp = falsifyValues({
  type: 'RAMP',
  name: 'Slow ramp of magnitude or frequency',
  params: {
    ramp_rate: {
      type: 'number',
      default: 0.05,
      min: 0.001,
      max: 100,
      unit: 'V or Hz per frame',
      description: perUnitShare,
    },
    target,
    direction: { type: 'string', default: 'up', enum: ['up', 'down'] },
    phasor_idx: anyPhasor,
  },
  frameEffect: 'the offset grows by ramp_rate with each frame of a stream from the start frame on',
  gridEffect: 'the measured view drifts; residuals grow until a normalised one passes 3',
  expectedDetection: 'rate of change, largest normalised residual after a delay, a redundant meter',
  ...onTarget,
  falsify: (measurement, params, { frame }) =>
    addToTarget(measurement, params, (frame + 1) * params.ramp_rate * (params.direction === 'up' ? 1 : -1)),
  describe: (params, frame) =>
    `Ramp ${params.direction}, ${params.ramp_rate} per frame on ${params.target}, frame ${frame + 1}`,
})

/** Spikes on magnitudes or on the frequency at regular intervals. */
export const pulse = falsifyValues({
  type: 'PULSE',
  name: 'Periodic pulse',
  params: {
    amplitude: { type: 'number', default: 30, min: 0.1, max: 1000, unit: 'V or Hz', description: perUnitShare },
    interval: { type: 'integer', default: 30, min: 1, max: 1000, unit: 'frames' },
    duration_frames: { type: 'integer', default: 3, min: 1, max: 100, unit: 'frames' },
    target,
    phasor_idx: anyPhasor,
  },
  frameEffect: 'amplitude is added while the number of the frame modulo interval is below duration_frames',
  gridEffect: 'the measured view spikes; false over-voltage alarms',
  expectedDetection: 'step between successive frames, largest normalised residual on the spikes only',
  ...onTarget,
  falsify: (measurement, params, { frame }) =>
    frame % params.interval < params.duration_frames ? addToTarget(measurement, params, params.amplitude) : measurement,
  describe: (params) => `Pulse of ${params.amplitude} on ${params.target}`,
})

/** A fixed FREQ, and a still DFREQ; secondary control steers with what it receives. */
export const frequencyOverride = falsifyValues({
  type: 'FREQUENCY_OVERRIDE',
  name: 'Frequency override',
  params: { target_freq: { type: 'number', default: 60, min: 45, max: 65, unit: 'Hz' } },
  frameEffect: 'FREQ is fixed, DFREQ is 0',
  gridEffect: 'automatic generation control that listens to the unit dispatches wrongly',
  expectedDetection: 'the derivative of the angle does not match FREQ, which has no noise; the neighbours disagree',
  falsify: (measurement, { target_freq }) => ({ ...measurement, frequencyHz: target_freq, rocofHzPerS: 0 }),
  describe: ({ target_freq }) => `Frequency overridden with ${target_freq} Hz`,
})

/** One phasor with a magnitude of the attacker's choice. */
export const magnitudeOverride = falsifyValues({
  type: 'MAGNITUDE_OVERRIDE',
  name: 'Voltage or current magnitude override',
  params: { phasor_idx: onePhasor, value: { type: 'number', default: 0, min: 0, max: 10_000, unit: 'V or A' } },
  frameEffect: 'the magnitude of the chosen phasor is replaced',
  gridEffect: '0 looks like a dead bus',
  expectedDetection: 'gross error in one scan of the state estimation',
  ...onPhasor,
  falsify: (measurement, { phasor_idx, value }) => changeMagnitudes(measurement, phasor_idx, () => value),
  describe: ({ phasor_idx, value }) =>
    `Magnitude of phasor ${phasor_idx} overridden with ${value} ${phasor_idx === 0 ? 'V' : 'A'}`,
})

/** One phasor with an angle of the attacker's choice. */
export const angleOverride = falsifyValues({
  type: 'ANGLE_OVERRIDE',
  name: 'Phase angle override',
  params: { phasor_idx: onePhasor, angle_deg: { type: 'number', default: 0, min: -180, max: 180, unit: 'deg' } },
  frameEffect: 'the angle of the chosen phasor is replaced',
  gridEffect: 'a false angle difference between buses',
  expectedDetection: 'angles and currents against the state estimate, an angle that does not turn as FREQ says',
  ...onPhasor,
  falsify: (measurement, { phasor_idx, angle_deg }) =>
    changePhasors(measurement, phasor_idx, (phasor) => ({ ...phasor, angle: toRadians(angle_deg) })),
  describe: ({ phasor_idx, angle_deg }) => `Angle of phasor ${phasor_idx} overridden with ${angle_deg} deg`,
})

/** Every magnitude multiplied, and the frequency where asked. */
export const scale = falsifyValues({
  type: 'SCALE',
  name: 'Multiplicative scaling',
  params: {
    scale_factor: { type: 'number', default: 1.5, min: 0, max: 10 },
    also_scale_freq: { type: 'boolean', default: false },
  },
  frameEffect: 'all phasor magnitudes are multiplied',
  gridEffect: 'the view is off by the factor',
  expectedDetection: 'state estimation chi-square and largest normalised residual',
  falsify: (measurement, { scale_factor, also_scale_freq }) => ({
    ...changeMagnitudes(measurement, -1, (magnitude) => magnitude * scale_factor),
    frequencyHz: measurement.frequencyHz * (also_scale_freq ? scale_factor : 1),
  }),
  describe: ({ scale_factor }) => `Magnitudes scaled by ${scale_factor}`,
})
