/** The bound on the work of one read, so that no taxonomy and no range can hold the node up. */

import { DevnodeError } from '../errors.ts'

/** Counts the rows a read has touched. */
export interface Budget {
  /**
   * Pays for rows.
   *
   * @throws DevnodeError read_timeout when the budget is spent.
   */
  spend(rows: number): void
}

/** Rows that one read may touch: seconds of work, where the network cuts a read off after 45 of them. */
export const readBudget = 1_000_000

/** A fresh budget. */
export function createBudget(rows = readBudget): Budget {
  let left = rows
  return {
    spend(spent) {
      left -= spent
      if (left < 0) throw new DevnodeError('read_timeout', 'db timeout')
    },
  }
}
