/** Answers about stored networks. */

import * as z from 'zod'
import type { DeepReadonly } from '../../base/deep-readonly.ts'
import { seconds } from './parts.ts'

const rows = z.array(z.array(z.number()))

/** A network as tables: what a session carries. */
export const NetworkTables = z
  .strictObject({
    name: z.string(),
    title: z.string(),
    source: z.string().describe('The file, and the rules by which what it lacks was added.'),
    baseMva: z.number(),
    f0Hz: z.number(),
    slackBus: z.int(),
    slackAngleDeg: z.number(),
    buses: rows.describe('id, MW, MVAr, shunt MW, shunt MVAr, area, kV, highest and lowest voltage in pu, x, y.'),
    generators: rows.describe(
      'bus, MW, set point in pu, highest and lowest MVAr, highest and lowest MW, MVA, inertia in s on the base, c2, c1, c0.',
    ),
    branches: rows.describe(
      'from, to, r, x, b, ratio (0 for a line), shift in degrees, rating and two pick-ups in MVA.',
    ),
    pmuBuses: z.array(z.int()),
  })
  .describe('An imported network.')

const Stored = z.strictObject({
  name: z.string(),
  title: z.string(),
  buses: z.int(),
  branches: z.int(),
  generators: z.int(),
  bytes: z.int().describe('Octets of its tables as JSON.'),
  created: seconds,
})
/** A stored network without its tables. */
export type StoredNetwork = DeepReadonly<z.infer<typeof Stored>>

/** Every stored network. */
export const Networks = z.strictObject({ count: z.int(), maximum: z.int(), networks: z.array(Stored) })

/** A network that was stored. */
export const ImportedNetwork = z.strictObject({
  ...Stored.shape,
  warnings: z.array(z.string()).describe('Each element of the file that is left out or taken as something else.'),
})
