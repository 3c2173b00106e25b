/** The peer: Node's HTTP server with rate-limiter-flexible over ioredis, one decision per request. */

import { createServer } from 'node:http'
import { Redis } from 'ioredis'
import { RateLimiterRedis } from 'rate-limiter-flexible'

const [port, redisPort] = process.argv.slice(2).map(Number)
const redis = new Redis({ host: '127.0.0.1', port: redisPort ?? 0, enableAutoPipelining: true })
const limiter = new RateLimiterRedis({ storeClient: redis, points: 4_000_000_000, duration: 60 })

createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const { descriptors } = JSON.parse(Buffer.concat(chunks).toString())
  const { remainingPoints } = await limiter.consume(descriptors[0].entries[0].value)
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ overallCode: 'OK', statuses: [{ code: 'OK', limitRemaining: remainingPoints }] }))
}).listen(port, '127.0.0.1')
