/** The way of a front to its service: what its request for a WebSocket has. */

import { createServer, type IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { connectDecider } from '#bin/decider/connect.ts'
import { freePort } from '../../support/process.ts'

test('connectDecider() asks for a WebSocket with the token, and offers no compression', async () => {
  const [server, port] = [createServer(), await freePort()]
  const asked = new Promise<IncomingMessage>((resolve) => {
    server.once('upgrade', (request, socket) => {
      socket.destroy()
      resolve(request)
    })
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const decider = connectDecider({ url: `http://127.0.0.1:${port}`, token: 'token-of-the-test' })
  const { headers } = await asked
  expect(headers).toMatchObject({ upgrade: 'websocket', authorization: 'Bearer token-of-the-test' })
  expect(headers).not.toHaveProperty('sec-websocket-extensions')
  await decider.stop()
  server.close()
})
