/** The recorded cases over HTTP, against the built bundle: decided there, and by a front that decides. */

import { startDecidingFront } from '../../support/deciding-front.ts'
import { operatorTarget, replayableCases, testCases } from '../../support/ratelimit-replay.ts'
import type { ServiceClient } from '../../support/ratelimit-servers.ts'

const targetOf = (client: ServiceClient, decider: ServiceClient) => ({
  ...operatorTarget(client),
  async request(body: string) {
    const response = await decider.decide(new TextEncoder().encode(body))
    return { status: response.status, body: await response.text() }
  },
})

testCases('recorded cases over HTTP', replayableCases, (client) => ({ target: targetOf(client, client) }))

testCases('recorded cases over HTTP, decided in the front', replayableCases, async (_, runtimeUrl) => {
  const { client, stop } = await startDecidingFront(runtimeUrl)
  return { target: targetOf(client, client), close: stop }
})
