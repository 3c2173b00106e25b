/** Delays and budgets of repeated attempts, as data; sleeping is the caller's. */

/** Number of attempts, and the growth of the wait between them. */
export interface RetryBudget {
  /** Attempts in all, the first included; at least 1. */
  readonly maxAttempts: number
  /** The wait before attempt n + 1 is n times this, in milliseconds. */
  readonly delayMs: number
}

/** Milliseconds to wait after so many failed attempts; undefined when the budget is spent. */
export function delayAfter(failures: number, budget: RetryBudget): number | undefined {
  return failures < budget.maxAttempts ? failures * budget.delayMs : undefined
}
