/** A Worker whose requests are limited by the rules in `rules.yaml`; the limiter is a part of it. */

import { exports } from 'cloudflare:workers'
import { Hono } from 'hono'
import { createLimiter } from 'sluice/ratelimit'
import { rateLimit } from 'sluice/ratelimit/hono'
import service, { type RatelimitEnv, withRules } from 'sluice/ratelimit/worker'
import rules from '../rules.yaml'

export { CounterObject, RateLimiter, StatsObject } from 'sluice/ratelimit/worker'
export class RuleBookObject extends withRules(rules) {}

const app = new Hono<{ Bindings: RatelimitEnv }>()

app.use(
  '/api/*',
  rateLimit<{ Bindings: RatelimitEnv }>({
    limiter: () => createLimiter({ binding: exports.RateLimiter, domain: 'api' }),
    key: (c) => ({ entries: { address: c.req.header('cf-connecting-ip') ?? '' } }),
    name: 'requests',
  }),
)
app.get('/api/hello', (c) => c.json({ hello: 'world' }))
// The operator plane: rules, counters and statistics, with ADMIN_TOKEN.
app.all('/ratelimit/*', (c) => service.fetch(c.req.raw, c.env, c.executionCtx))

export default app
