/** Standard deviations of the meters, which the simulation adds and the estimator expects. */

/** Outstations' meters in per unit: those of the reference measurement set. */
export const meterSigma = { v: 0.004, p_inj: 0.01, q_inj: 0.01, p_flow: 0.008, q_flow: 0.008 } as const

/** A phasor measurement unit: per unit, radians, hertz. */
export const phasorSigma = { magnitudePu: 0.002, angleRad: 0.0008, frequencyHz: 0.0008 } as const
