/** A gateway that follows a script, and what a watch of its events gives. */

import { withOptions } from '#streamnet/call-options.ts'
import { createClient } from '#streamnet/client.ts'
import { defaultPlatform } from '#streamnet/platform.ts'

/** The gateway's address, and a token. */
export const gateway = { gateway: 'http://gateway.invalid/streamnet/v1/', token: 'read' }

const event = (name: string, data: { readonly height: number }) =>
  `event: ${name}\nid: ${data.height}\ndata: ${JSON.stringify(data)}\n\n`
/** An answer of events of one name, the id of each its height. */
export const sends =
  (name: string, ...data: readonly { readonly height: number }[]) =>
  () =>
    new Response(data.map((one) => event(name, one)).join(''))

/** Collects what a watch gives over connections that follow a script; the one after its last ends the watch. */
export async function follow<T>(
  script: readonly (() => Response)[],
  watch: (client: ReturnType<typeof createClient>) => AsyncIterable<T>,
) {
  const rest = [...script]
  const over = new AbortController()
  const asked: string[] = []
  const fetch: typeof defaultPlatform.fetch = async (url, { headers }) => {
    const last = new Headers(headers).get('last-event-id')
    asked.push(url.replace('http://gateway.invalid/streamnet/v1', '') + (last === null ? '' : ` after ${last}`))
    const next = rest.shift()
    if (next) return next()
    over.abort()
    throw new TypeError('fetch failed')
  }
  const platform = { ...defaultPlatform, fetch, sleep: async () => {} }
  const client = withOptions(createClient({ endpoint: 'http://node.invalid', platform }), { signal: over.signal })
  const seen: T[] = []
  let code: unknown = 'ended'
  try {
    for await (const one of watch(client)) seen.push(one)
  } catch (error) {
    code = (error as { readonly code?: unknown }).code
  }
  return { seen, code, asked }
}
