/** The recorded cases over HTTP, against the built bundle. */

import { operatorTarget, replayableCases, testCases } from '../../support/ratelimit-replay.ts'

testCases('recorded cases over HTTP', replayableCases, (client) => ({
  target: {
    ...operatorTarget(client),
    async request(body) {
      const response = await client.decide(new TextEncoder().encode(body))
      return { status: response.status, body: await response.text() }
    },
  },
}))
