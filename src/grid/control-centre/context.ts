/** The part of a step that the control centre may touch: never the plant, the true samples or the attackers. */

import type { Configuration } from '../configuration.ts'
import type { Network } from '../network/network.ts'
import type { StreamEvent } from '../records/broadcast.ts'
import type { Telecontrol } from '../telecontrol/telecontrol.ts'
import type { View } from './view.ts'

/** The control centre in one step: its view of the grid, its knowledge of the network, and its events. */
export interface ControlCentre {
  readonly world: { readonly view: View; readonly configuration: Configuration; readonly step: number }
  /** With all breakers closed; the reported ones are in the view. */
  readonly network: Network
  /** The outstations and units with the links on which they report. */
  readonly plan: Telecontrol
  /** Microseconds since the Unix epoch at which the step begins. */
  readonly startUs: number
  readonly events: StreamEvent[]
}
