/** A page in Chromium: our client against the development node, and the gateway's answers and live stream, on one origin. */

import { expect, it } from 'vitest'
import { generateStreamId } from '#streamnet/index.ts'
import { chromiumPath, startBrowser } from '../../support/chromium.ts'
import { bundleClient } from '../../support/client-bundle.ts'
import { fullToken, gatewayAddress, gatewayKey, startGateway } from '../../support/gateway-bundle.ts'
import { host } from '../../support/host.ts'

const gateway = host(() => startGateway())

/** The bundle's global on the page. */
declare const streamnet: {
  readonly NetClient: typeof import('#streamnet/index.ts').NetClient
  readonly readEvents: typeof import('#base/event-stream.ts').readEvents
}

it.skipIf(chromiumPath === null)(
  'signs in the page, and reads of it through the gateway (skipped without Chromium)',
  async () => {
    const contents = `export { NetClient } from './src/streamnet/index.ts'
export { readEvents } from './src/base/event-stream.ts'`
    const { text } = await bundleClient(contents, { format: 'iife', globalName: 'streamnet' })
    const browser = await startBrowser()
    try {
      const page = await browser.newPage()
      // A page of the gateway's own origin: no other may read its answers.
      await page.route('**/page-of-the-test', (route) =>
        route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }),
      )
      await page.goto(`${gateway.url}/page-of-the-test`)
      await page.addScriptTag({ content: text })
      const seen = await page.evaluate(
        async ({ key, token, streamId, provider }) => {
          const client = new streamnet.NetClient(`${location.origin}/streamnet/node`, key)
          await client.deployStream({ streamId })
          await client.insertRecords({ streamId, records: [{ date: 1, value: '1.5' }] })
          const headers = { authorization: `Bearer ${token}` }
          const base = `${location.origin}/streamnet/v1`
          const read = await (await fetch(`${base}/get_records?stream_id=${streamId}`, { headers })).json()
          const { body } = await fetch(`${base}/streams/${provider}/${streamId}/events`, { headers })
          const events = streamnet.readEvents(body)
          const opening = await events.next()
          await client.insertRecord({ streamId, record: { date: 2, value: '2.5' } })
          const news = await events.next()
          await events.return(undefined)
          return { read, opening: opening.value?.data, news: news.value?.data }
        },
        { key: gatewayKey, token: fullToken, streamId: generateStreamId('in a browser'), provider: gatewayAddress },
      )
      expect(seen.read).toEqual({ result: [{ date: 1, value: '1.500000000000000000' }] })
      expect(JSON.parse(seen.opening ?? '')).toMatchObject({ records: [] })
      expect(JSON.parse(seen.news ?? '')).toMatchObject({ records: [{ date: 2, value: '2.500000000000000000' }] })
    } finally {
      await browser.close()
    }
  },
)
