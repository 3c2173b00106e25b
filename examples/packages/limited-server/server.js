/**
 * A server whose requests are limited by a service of Sluice:
 *
 *   LIMITER_URL=http://127.0.0.1:8080 LIMITER_TOKEN=... npm start
 *
 * The domain `api` has to be there: a file of rules with `domain: api` is enough.
 */

import express from 'express'
import { createLimiter } from 'sluice/ratelimit'
import { rateLimit } from 'sluice/ratelimit/express'

const { LIMITER_URL: url = 'http://127.0.0.1:8080', LIMITER_TOKEN: token, PORT = '3000' } = process.env

const app = express()
app.use(
  rateLimit({
    limiter: createLimiter({ url, token, domain: 'api', limit: 10, period: 60, failure: 'open', timeout: 500 }),
    key: (request) => request.ip,
    cost: (request) => (request.method === 'POST' ? 5 : 1),
    onFailure: ({ reason, message }) => console.warn(reason, message),
  }),
)
app.all('/', (_, response) => response.json({ hello: 'world' }))
const server = app.listen(Number(PORT), '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
