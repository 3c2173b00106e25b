/** Every answer of the gateway beside the results of operations, which the catalogue describes. */

import * as z from 'zod'
import { Block, Blocks, Transaction, Transactions } from './chain.ts'
import { Hashes, Job } from './jobs.ts'
import { Problem } from './problem.ts'

/** A ticket of an event stream. */
const Ticket = z.strictObject({ ticket: z.string(), expires_in: z.int().describe('Seconds.') })

const Index = z.strictObject({
  name: z.string(),
  openapi: z.string(),
  operations: z.array(
    z.strictObject({
      name: z.string(),
      kind: z.enum(['view', 'execute', 'local', 'job']),
      methods: z.array(z.enum(['POST', 'GET'])),
      about: z.string(),
    }),
  ),
})

/** The schemas by name. */
export const answers = { Problem, Job, Hashes, Blocks, Block, Transactions, Transaction, Ticket, Index }
