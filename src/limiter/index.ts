/** The client of the rate limit service: `createLimiter` over RPC or HTTP. */

export { createLimiter, type LimiterBinding, type LimiterOptions } from './client.ts'
export type { LimiterPlatform } from './platform.ts'
export type {
  DecideAnswer,
  DecideFailure,
  DecideRequest,
  DecideResult,
  FailureCode,
  Limiter,
  LimiterDefaults,
  LimitReason,
  LimitRequest,
  LimitResult,
  PeekRequest,
  SettleRequest,
} from './types.ts'
