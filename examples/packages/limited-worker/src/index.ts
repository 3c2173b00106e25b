/** A Worker whose requests are limited by the rules in `rules.yaml`; the limiter is a part of it. */

import { Hono } from 'hono'
import { createLimiter, type LimiterBinding } from 'sluice/ratelimit'
import { rateLimit } from 'sluice/ratelimit/hono'
import service, { type RatelimitEnv, withRules } from 'sluice/ratelimit/worker'
import rules from '../rules.yaml'

export { CounterObject, RateLimiter, StatsObject } from 'sluice/ratelimit/worker'
export const RuleBookObject = withRules(rules)

/** Entrypoints of this Worker, as the platform hands them over. */
interface Exports {
  readonly RateLimiter: LimiterBinding
}

const app = new Hono<{ Bindings: RatelimitEnv }>()

app.use(
  '/api/*',
  rateLimit<{ Bindings: RatelimitEnv }>({
    limiter: (c) => createLimiter({ binding: (c.executionCtx.exports as Exports).RateLimiter, domain: 'api' }),
    key: (c) => ({ entries: { address: c.req.header('cf-connecting-ip') ?? '' } }),
    name: 'requests',
  }),
)
app.get('/api/hello', (c) => c.json({ hello: 'world' }))
// The operator plane: rules, counters and statistics, with ADMIN_TOKEN.
app.all('/ratelimit/*', (c) => service.fetch(c.req.raw, c.env, c.executionCtx))

export default app
