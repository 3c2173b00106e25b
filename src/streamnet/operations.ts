/**
 * Every operation: a function of a client and its parameters. A namespace, so that a bundle holds only those it uses.
 *
 * A read throws as `callAction` does and a write as `sendTransaction` does; an operation lists the errors beside those.
 */

export * from './operations/agent-reads.ts'
export * from './operations/agent-rules.ts'
export * from './operations/agents.ts'
export * from './operations/attestation.ts'
export * from './operations/bridge.ts'
export * from './operations/composition.ts'
export * from './operations/distributions.ts'
export * from './operations/ledger.ts'
export * from './operations/local.ts'
export * from './operations/market-creation.ts'
export * from './operations/market-forecast.ts'
export * from './operations/markets.ts'
export * from './operations/network.ts'
export * from './operations/order-book.ts'
export * from './operations/orders.ts'
export * from './operations/positions.ts'
export * from './operations/prechecks.ts'
export * from './operations/procedures.ts'
export * from './operations/record-insertion.ts'
export * from './operations/records.ts'
export * from './operations/roles.ts'
export * from './operations/single-records.ts'
export * from './operations/stream-list.ts'
export * from './operations/stream-metadata.ts'
export * from './operations/streams.ts'
export * from './operations/transaction-input.ts'
export * from './operations/visibility.ts'
export * from './operations/withdrawals.ts'
