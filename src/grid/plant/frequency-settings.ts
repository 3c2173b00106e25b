/** The constants of frequency control: droop, time constants, damping, load shedding, secondary control. */

/** One stage of under-frequency load shedding. */
export interface SheddingStage {
  readonly belowHz: number
  /** Share of the island's load before any shedding. */
  readonly share: number
  readonly delaySeconds: number
}

/** The parameters of the model. */
export interface FrequencySettings {
  /** Per-unit frequency over per-unit power, on the machine's own rating. */
  readonly droop: number
  readonly governorSeconds: number
  readonly turbineSeconds: number
  /** Per-unit load over per-unit frequency. */
  readonly damping: number
  readonly shedding: readonly SheddingStage[]
  /** Share of the area control error that the references take up per second; 0 switches the control off. */
  readonly agcGainPerSecond: number
  readonly agcPeriodSeconds: number
  /** Longest step of the integration. */
  readonly substepSeconds: number
  /** Machines leave the grid outside this share of the nominal frequency, and the island goes dark. */
  readonly collapse: { readonly below: number; readonly above: number }
}

/** Values in common use; the shedding stages are those of the golden runs. */
export const defaultFrequencySettings: FrequencySettings = {
  droop: 0.05,
  governorSeconds: 0.2,
  turbineSeconds: 0.5,
  damping: 1,
  shedding: [
    { belowHz: 59.5, share: 0.07, delaySeconds: 0.2 },
    { belowHz: 59.3, share: 0.07, delaySeconds: 0.2 },
    { belowHz: 59.1, share: 0.08, delaySeconds: 0.2 },
    { belowHz: 58.9, share: 0.08, delaySeconds: 0.2 },
  ],
  agcGainPerSecond: 0.05,
  agcPeriodSeconds: 4,
  substepSeconds: 0.02,
  collapse: { below: 0.95, above: 1.05 },
}
