/** Shapes of the studies of the grid. */

import {
  boolean,
  describe,
  listOf,
  number,
  oneOf,
  orNull,
  type Schema,
  type Schemas,
  text,
  whole,
} from '#base/json-schema.ts'
import { object } from './parts.ts'

/** A study, with the grid of the moment in which it was made. */
function study(name: string, result: Schemas): Schema {
  return object({
    study: { const: name },
    case: text,
    load_mw: number,
    open_breakers: listOf(text),
    ...result,
  })
}

const loading = object({ breaker: text, loading_percent: number }, { loading_mva: number })

const outage = object(
  {
    breaker: text,
    outcome: describe(
      '`screened` by method `dc`: ranked and not solved.',
      oneOf('solved', 'island', 'divergent', 'screened'),
    ),
    worst: orNull(loading),
  },
  {
    from: whole,
    to: whole,
    separated: describe('Buses that the outage cuts off.', listOf(whole)),
    lowest: orNull(object({ bus: whole, vm_pu: number })),
  },
)

/** Schemas by the name of the shape. */
export const studySchemas: Schemas = {
  ContingencyStudy: study('contingency', {
    method: oneOf('ac', 'dc'),
    count: whole,
    total: whole,
    outages: listOf(outage),
  }),
  CascadeStudy: study('cascade', {
    opened: listOf(text),
    pickup: oneOf('secure', 'fragile'),
    trips: listOf(object({ breaker: text, at_s: number, multiple_of_pickup: number })),
    served_mw: number,
    lost_mw: number,
  }),
  FastDecoupledStudy: study('fast-decoupled', {
    scheme: oneOf('XB', 'BX'),
    converged: boolean,
    iterations: whole,
    history: listOf(object({ p_mismatch_pu: number, q_mismatch_pu: number })),
    newton: object({ converged: boolean, iterations: whole }),
    largest_difference_pu: number,
    vm_pu: listOf(number),
    va_deg: listOf(number),
  }),
  DcEstimationStudy: study('dc-estimation', {
    objective: number,
    limit: number,
    degrees_of_freedom: whole,
    suspicious: boolean,
    angles: listOf(object({ bus: whole, dc_deg: number, ac_deg: orNull(number), true_deg: number })),
  }),
}
