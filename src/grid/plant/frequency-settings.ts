/** The constants of frequency control, of values in common use; the shedding stages are those of the golden runs. */
export const frequencySettings = {
  /** Per-unit frequency over per-unit power, on the machine's own rating. */
  droop: 0.05,
  governorSeconds: 0.2,
  turbineSeconds: 0.5,
  /** Power of friction and windage over a machine's rating, which shows when nothing drives the turbine. */
  friction: 0.01,
  /** Per-unit load over per-unit frequency. */
  damping: 1,
  /** Under-frequency load shedding in a grid of 60 Hz; `share` is of the island's load before any shedding. */
  shedding: [
    { belowHz: 59.5, share: 0.07, delaySeconds: 0.2 },
    { belowHz: 59.3, share: 0.07, delaySeconds: 0.2 },
    { belowHz: 59.1, share: 0.08, delaySeconds: 0.2 },
    { belowHz: 58.9, share: 0.08, delaySeconds: 0.2 },
  ],
  agcPeriodSeconds: 4,
  /** Longest step of the integration. */
  substepSeconds: 0.02,
  /** Machines leave the grid outside this share of the nominal frequency, and the island goes dark. */
  collapse: { below: 0.95, above: 1.05 },
} as const
