/** The plant in one of its steps, as everything that acts in the step sees it. */

import type { Configuration } from '../configuration.ts'
import type { Network } from '../network/network.ts'
import type { Plant } from './state.ts'

/** The plant in one of its steps. */
export interface PlantScene {
  readonly plant: Plant
  readonly configuration: Configuration
  /** The grid with every breaker closed. */
  readonly base: Network
  /** Factor on the loads of the case. */
  readonly factor: number
  /** Sentences about what happens in the step. */
  readonly events: string[]
}
