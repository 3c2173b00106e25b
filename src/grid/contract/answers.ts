/** Every answer that the OpenAPI document names, by its name there. */

import * as attacks from './attacks.ts'
import * as controlRoom from './control-room.ts'
import * as grid from './grid.ts'
import * as networks from './network.ts'
import { Failure } from './parts.ts'
import * as records from './records.ts'
import * as scenario from './scenario.ts'
import { Score } from './score.ts'
import * as simulation from './simulation.ts'
import * as studies from './studies.ts'

/** The schemas by name. */
export const answers = {
  Error: Failure,
  ...simulation,
  ...networks,
  ...records,
  ...attacks,
  ...grid,
  ...studies,
  Score,
  ...scenario,
  ...controlRoom,
}

/** The name of an answer. */
export type AnswerName = keyof typeof answers
