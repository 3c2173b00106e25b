/** An alert of an intrusion detector, the same for every format. */

/** One alert. */
export interface Alert {
  /** Line of the text that it was read from, from 1. */
  readonly line: number
  /** Integer microseconds since the Unix epoch. */
  readonly timeUs: number
  /** Number of the frame in the capture, from 1; null where the detector does not say it. */
  readonly frame: number | null
  /** Addresses, each with its port where there is one; null where the detector does not say it. */
  readonly source: string | null
  readonly target: string | null
  /** Name of the rule or detector. */
  readonly name: string
  /** ATT&CK identifier, as `T0855`; null where the detector does not say it. */
  readonly technique: string | null
  /** Confidence or severity, the larger the surer; null where there is none. */
  readonly score: number | null
}
