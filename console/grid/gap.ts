/** The distance between the control centre's estimate and the truth. */

import { type Layers, readNumber } from './live-grid.ts'

/** The severity that a colour shows. */
export type Severity = 'normal' | 'attention' | 'bad'

/** The severity of a value above two bounds. */
export function rateValue(value: number, attention: number, bad: number): Severity {
  if (value > bad) return 'bad'
  return value > attention ? 'attention' : 'normal'
}

/** The distance between estimate and truth at a bus. */
export interface Gap {
  /** Estimate less truth in per unit and degrees. */
  readonly volts: number
  readonly degrees: number
  /** The length of both as one vector, in units of 0.01 pu and of 1 degree. */
  readonly size: number
  readonly severity: Severity
}

/** The gap at a bus; zero where there is no estimate. */
export function measureGap({ true: truth, estimated }: Layers, bus: number): Gap {
  const between = (name: string) => {
    const [estimate, value] = [readNumber(estimated, name, bus), readNumber(truth, name, bus)]
    return estimate === undefined || value === undefined ? 0 : estimate - value
  }
  const [volts, degrees] = [between('vm_pu'), between('va_deg')]
  const size = Math.hypot(volts / 0.01, degrees)
  return { volts, degrees, size, severity: rateValue(size, 1, 2) }
}
