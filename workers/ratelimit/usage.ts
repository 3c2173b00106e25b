/** `/v1`: what was decided over time, for which keys, and as it happens. */

import type { Json } from '#base/json.ts'
import { ticketMs } from '#objects/base/tickets.ts'
import { hashKeys } from '#objects/ratelimit/usage/hash-values.ts'
import { RatelimitError } from '#ratelimit/errors.ts'
import { keptSeconds, mostUsageRows, type UsageStep, usageSteps } from '#ratelimit/usage/bounds.ts'
import { openIsolate } from './adapters/isolate.ts'
import { reportToReader, usageObject } from './adapters/usage-sink.ts'
import type { Call } from './call.ts'
import { plainError } from './plain-answer.ts'

/** Seconds before now at which a range begins that names no beginning. */
const usualSeconds = 3_600
/** Keys in each list of an answer. */
const topKeys = { usual: 20, most: 200 } as const
/** The most of a wrong value that an error repeats, in UTF-16 code units. */
const longestShown = 40

/** The JSON Schemas of the query's parameters. */
export const usageQuery = {
  domain: { type: 'string', description: 'One domain; all when absent.' },
  rule: { type: 'string', description: 'One rule by its path, such as shop.login; empty for whole requests.' },
  from: { type: 'integer', minimum: 0, description: 'Unix time in seconds, included; an hour ago when absent.' },
  to: { type: 'integer', minimum: 0, description: 'Unix time in seconds, excluded; now when absent.' },
  step: {
    type: 'integer',
    enum: [...usageSteps],
    description:
      'Seconds of a bucket; seconds are kept for two minutes, minutes for a day, hours for a month. 600 sums minutes, 21600 hours.',
  },
  limit: {
    type: 'integer',
    minimum: 1,
    maximum: topKeys.most,
    description: `Keys in each list; ${topKeys.usual} when absent.`,
  },
  values: { type: 'string', enum: ['plain', 'hashed'], description: 'Whether values are shown or hashed.' },
  ticket: { type: 'string', description: 'A ticket instead of the token; it is good once.' },
} as const satisfies Readonly<Record<string, Json>>

/** A parameter of the query. */
export type UsageParameter = keyof typeof usageQuery

/** `GET /v1/usage`: admitted, refused and shadowed decisions by time, domain and rule, and how full the rules are. */
export async function readUsage(call: Call): Promise<Response> {
  await reportDecided(call)
  const now = Math.ceil(Date.now() / 1000)
  const { searchParams: query } = call.url
  const to = readWhole(call, 'to') ?? now + 1
  const from = readWhole(call, 'from') ?? to - usualSeconds
  if (from >= to) throw malformed(`from is ${from} and to is ${to}, expected from before to`)
  const [domain, rule] = [query.get('domain'), query.get('rule')]
  const { isTooLong, ...answer } = await usageObject(call.env).usage({
    from,
    to,
    step: chooseStep(call, from, to, now),
    ...(domain !== null && { domain }),
    ...(rule !== null && { rule }),
  })
  if (!isTooLong) return Response.json({ from, to, ...answer })
  throw malformed(
    `steps of ${answer.step} s from ${from} to ${to} are more than ${mostUsageRows} rows, expected a shorter range, longer steps, a domain or a rule`,
  )
}

/** `GET /v1/top`: the keys with the most decisions, and with the most refusals. */
export async function readTop(call: Call): Promise<Response> {
  await reportDecided(call)
  const { searchParams: query } = call.url
  const from = readWhole(call, 'from') ?? Math.floor(Date.now() / 1000) - usualSeconds
  const limit = readWhole(call, 'limit') ?? topKeys.usual
  if (limit < 1 || limit > topKeys.most) throw malformed(`limit is ${limit}, expected 1 to ${topKeys.most}`)
  const top = await usageObject(call.env).top(from, limit, query.get('domain') ?? undefined)
  if (!isHashed(call)) return Response.json({ from, ...top })
  return Response.json({ from, used: await hashKeys(top.used), refused: await hashKeys(top.refused) })
}

/** `POST /v1/events/ticket`: a ticket that opens the event stream once, for pages that cannot send a header. */
export async function drawTicket({ env }: Call): Promise<Response> {
  const ticket = await usageObject(env).drawTicket()
  if (ticket === null) return plainError(429, 'Cannot give a ticket: too many wait to be used; try again in a minute')
  return Response.json({ ticket, expires_in: ticketMs / 1000 })
}

/** `GET /v1/events`: counts of every second and a few sampled decisions, as Server-Sent Events. */
export async function watchDecisions(call: Call): Promise<Response> {
  const values = isHashed(call) ? 'hashed' : 'plain'
  const { request, url } = call
  const ticket = url.searchParams.get('ticket')
  const query = new URLSearchParams({ values, ...(ticket !== null && { ticket }) })
  const stream = await usageObject(call.env).fetch(`http://usage/?${query}`, { signal: request.signal })
  if (stream.status === 401) return plainError(401, 'Unauthorized: the ticket is used or older than a minute')
  if (stream.status === 429) return plainError(429, 'Cannot watch: too many listen; close one of them')
  await reportDecided(call)
  return stream
}

/** Reports what this isolate decided, so that the answer has it. */
function reportDecided({ env }: Call): Promise<void> {
  return reportToReader(env, openIsolate(env).settings.USAGE_RECORD_REQUESTS)
}

function isHashed({ url }: Call): boolean {
  const values = url.searchParams.get('values') ?? 'plain'
  if (values === 'plain' || values === 'hashed') return values === 'hashed'
  throw malformed(`values is ${show(values)}, expected plain or hashed`)
}

function readWhole({ url }: Call, name: UsageParameter): number | null {
  const text = url.searchParams.get(name)
  if (text === null) return null
  if (/^\d{1,12}$/.test(text)) return Number(text)
  throw malformed(`${name} is ${show(text)}, expected a whole number`)
}

function show(text: string): string {
  return JSON.stringify(text.slice(0, longestShown))
}

/** The finest of the kept buckets that reach back to `from`, and as far as to `to` from there. */
function chooseStep(call: Call, from: number, to: number, now: number): UsageStep {
  const asked = readWhole(call, 'step')
  const step = usageSteps.find((one) => one === asked)
  if (step !== undefined) return step
  if (asked !== null) throw malformed(`step is ${asked}, expected one of ${usageSteps.join(', ')}`)
  const reaches = (kept: number) => from >= now - kept && to - from <= kept
  return ([1, 60] as const).find((one) => reaches(keptSeconds[one])) ?? 3_600
}

function malformed(state: string): RatelimitError {
  return new RatelimitError('malformed_request', `Cannot read usage: ${state}`)
}
