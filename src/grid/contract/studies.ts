/** Answers of the studies of the grid. */

import * as z from 'zod'
import type { DeepReadonly } from '../../base/deep-readonly.ts'
import { optional } from './parts.ts'

/** A study, with the grid of the moment in which it was made. */
function study<Name extends string, Result extends z.ZodRawShape>(name: Name, result: Result) {
  return z.strictObject({
    study: z.literal(name),
    case: z.string(),
    load_mw: z.number(),
    open_breakers: z.array(z.string()),
    ...result,
  })
}

const loading = z.strictObject({
  breaker: z.string(),
  loading_percent: z.number(),
  ...optional({ loading_mva: z.number() }),
})

const outage = z.strictObject({
  breaker: z.string(),
  outcome: z
    .enum(['solved', 'island', 'divergent', 'screened'])
    .describe('`screened` by method `dc`: ranked and not solved.'),
  worst: loading.nullable(),
  ...optional({
    from: z.int(),
    to: z.int(),
    separated: z.array(z.int()).describe('Buses that the outage cuts off.'),
    lowest: z.strictObject({ bus: z.int(), vm_pu: z.number() }).nullable(),
  }),
})

/** Every outage of one branch. */
export const ContingencyStudy = study('contingency', {
  method: z.enum(['ac', 'dc']),
  count: z.int(),
  total: z.int(),
  outages: z.array(outage),
})

/** One overload after another. */
export const CascadeStudy = study('cascade', {
  opened: z.array(z.string()),
  pickup: z.enum(['secure', 'fragile']),
  trips: z.array(z.strictObject({ breaker: z.string(), at_s: z.number(), multiple_of_pickup: z.number() })),
  served_mw: z.number(),
  lost_mw: z.number(),
})

/** The fast decoupled method beside Newton's. */
export const FastDecoupledStudy = study('fast-decoupled', {
  scheme: z.enum(['XB', 'BX']),
  converged: z.boolean(),
  iterations: z.int(),
  history: z.array(z.strictObject({ p_mismatch_pu: z.number(), q_mismatch_pu: z.number() })),
  newton: z.strictObject({ converged: z.boolean(), iterations: z.int() }),
  largest_difference_pu: z.number(),
  vm_pu: z.array(z.number()),
  va_deg: z.array(z.number()),
})

/** The DC estimate beside the AC estimate and the truth. */
export const DcEstimationStudy = study('dc-estimation', {
  objective: z.number(),
  limit: z.number(),
  degrees_of_freedom: z.int(),
  suspicious: z.boolean(),
  angles: z.array(
    z.strictObject({ bus: z.int(), dc_deg: z.number(), ac_deg: z.number().nullable(), true_deg: z.number() }),
  ),
})

/** The result of a study. */
export type Study = DeepReadonly<
  | z.infer<typeof ContingencyStudy>
  | z.infer<typeof CascadeStudy>
  | z.infer<typeof FastDecoupledStudy>
  | z.infer<typeof DcEstimationStudy>
>
