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

/** A fresh budget. The network counts 45 seconds instead of rows. */
export function createBudget(rows: number): Budget {
  let left = rows
  return {
    spend(spent) {
      left -= spent
      if (left >= 0) return
      const state = `the read touches more than ${rows} rows (STREAMNET_MAX_READ_ROWS)`
      throw new DevnodeError('read_timeout', `db timeout: ${state}`)
    },
  }
}
