/** `/v1/lists`: the allow and deny lists, which decide about values before any rule. */

import { RatelimitError } from '#ratelimit/errors.ts'
import { listBounds, readListings } from '#ratelimit/lists/read-listings.ts'
import { openIsolate } from './adapters/isolate.ts'
import { loggerOf } from './adapters/logger.ts'
import { refreshRules, ruleBook } from './adapters/rule-book-cache.ts'
import { parseJson, readBody } from './bodies.ts'
import type { Call } from './call.ts'
import { readAuthor } from './configuration.ts'

/** Bytes of a body: as many listings as one may have, each with a long value. */
const bodyBytes = 2_000_000

/** `GET /v1/lists`: both lists of every domain, without what has ended. */
export async function showLists({ env }: Call): Promise<Response> {
  return Response.json(await ruleBook(env).lists())
}

/** `PUT /v1/lists`: adds, replaces or, with `seconds` 0, takes away listings; each is an audit line. */
export async function changeLists(call: Call): Promise<Response> {
  const { env, request } = call
  const sent = readListings(parseJson(await readBody(request, bodyBytes), '{"listings": [...]}'))
  const [who, logger] = [readAuthor(call), loggerOf(env)]
  const lists = await ruleBook(env).changeLists(sent, who)
  if (lists === null) {
    throw new RatelimitError(
      'request_too_large',
      `Cannot change lists: more than ${listBounds.kept} listings would be kept, expected fewer, or networks (cidr) in the place of addresses`,
    )
  }
  for (const { list, domain, key, value, seconds, reason } of sent) {
    const [audit, lasts] = [seconds === 0 ? 'unlist' : list, seconds ?? 'for good']
    logger.audit('List changed by hand', { audit, list, domain, key, value, reason, who, seconds: lasts })
  }
  await refreshRules(env, openIsolate(env).settings)
  return Response.json(lists)
}
