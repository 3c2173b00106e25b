/** The peer: Node's HTTP server that sends `INCRBY` and `EXPIRE` through ioredis, pipelined by the client. */

import { createServer } from 'node:http'
import { Redis } from 'ioredis'

const [port, redisPort] = process.argv.slice(2).map(Number)
const redis = new Redis({ host: '127.0.0.1', port: redisPort ?? 0, enableAutoPipelining: true })

createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const { descriptors } = JSON.parse(Buffer.concat(chunks).toString())
  const key: string = descriptors[0].entries[0].value
  const [hits] = await Promise.all([redis.incrby(key, 1), redis.expire(key, 60)])
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ overallCode: 'OK', statuses: [{ code: 'OK', limitRemaining: hits }] }))
}).listen(port, '127.0.0.1')
