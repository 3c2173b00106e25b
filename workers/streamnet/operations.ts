/** Operations by name: reads answered from the cache or the node, writes passed on. */

import { authorize, requiredReadScopes } from '#gateway/access.ts'
import { assertCanRead, assertCanReadAll } from '#gateway/constituents.ts'
import { type GatewayEntry, requireEntry } from '#gateway/entries.ts'
import { GatewayError } from '#gateway/errors.ts'
import { maxWaitMs, type Params, runOperation } from '#gateway/handle.ts'
import { writeJson } from '#gateway/json.ts'
import { readParams } from '#gateway/params.ts'
import { readQuery } from '#gateway/query.ts'
import { isReadable } from '#gateway/routes.ts'
import { parseAddress } from '#streamnet/index.ts'
import { answerBody, answerResult, writeBody } from './answers.ts'
import { maxBodyBytes, maxBulkBodyBytes, parseBody, readBody } from './bodies.ts'
import { type Call, openClient } from './call.ts'
import { answerStored, findUnchanged, type Reading, readThrough, storeUnchanged } from './read-cache.ts'
import { questionKey, readKey } from './read-key.ts'
import { startJob, write } from './writes.ts'

/** The milliseconds that a read may take in all. */
const readBudgetMs = 20_000

/** `POST /streamnet/v1/{operation}`. */
export async function postOperation(call: Call, name: string): Promise<Response> {
  const entry = requireEntry(name)
  const text = await readBody(call.request, entry.kind === 'job' ? maxBulkBodyBytes : maxBodyBytes)
  if (entry.kind === 'view') return postView(call, entry, text)
  const params = readParams(entry, parseBody(text))
  const scopes = authorize(call.grant, entry, params, call.isolate.signer?.address)
  if (entry.kind === 'job') return startJob(call, params, scopes)
  if (entry.kind === 'local') return answerResult(await runOperation(openClient(call, budgetFor(entry)), name, params))
  await assertMayGiveAway(call, entry, params)
  return write(call, entry, params)
}

async function postView(call: Call, entry: GatewayEntry, text: string): Promise<Response> {
  const key = questionKey(call.request, `${entry.name}\n${text}`)
  const stored = await findUnchanged(call, key)
  if (stored !== undefined) return answerBody(stored.body)
  const params = readParams(entry, parseBody(text))
  authorize(call.grant, entry, params, call.isolate.signer?.address)
  const reading = openReading(call, entry, params)
  const body = await reading.read()
  storeUnchanged(call, key, body, reading)
  return answerBody(body)
}

/** `GET /streamnet/v1/{operation}?...`. */
export async function getOperation(call: Call, name: string): Promise<Response> {
  const entry = requireEntry(name)
  if (!isReadable(entry)) {
    throw new GatewayError(
      'method_not_allowed',
      `Cannot run ${entry.name} with GET: it changes something, expected POST`,
    )
  }
  const unchanged = await findUnchanged(call, questionKey(call.request))
  if (unchanged !== undefined) return answerStored(call.request, unchanged)
  const params = readParams(entry, readQuery(entry, call.url.searchParams))
  authorize(call.grant, entry, params, call.isolate.signer?.address)
  if (entry.kind === 'local' || name === 'wait_for_tx') {
    return answerResult(await runOperation(openClient(call, budgetFor(entry)), name, params))
  }
  const key = readKey(call, entry, params)
  return answerStored(call.request, await readThrough(call, key, openReading(call, entry, params)))
}

/** Reads an answer, once it is known that the token may read every stream from which it is computed. */
function openReading(call: Call, entry: GatewayEntry, params: Params): Reading {
  const states = new Set<string>()
  const client = openClient(call, budgetFor(entry), (state) => void states.add(state))
  return {
    client,
    states,
    async read() {
      const { streamId, dataProvider = call.isolate.signer?.address } = params
      if (entry.access === 'constituents' && typeof streamId === 'string' && typeof dataProvider === 'string') {
        const stream = { streamId, dataProvider: parseAddress(dataProvider, 'data_provider') }
        await assertCanRead(client, call.grant, stream)
      }
      const result = await runOperation(client, entry.name, params)
      return new TextEncoder().encode(writeBody(writeJson(result)))
    },
  }
}

/** Checks that a token may read what a write lets others read, and everything that it is computed from. */
async function assertMayGiveAway(call: Call, entry: GatewayEntry, params: Params): Promise<void> {
  const scopes = requiredReadScopes(entry, params, call.isolate.signer?.address)
  if (scopes.length > 0) await assertCanReadAll(openClient(call, budgetFor(entry)), call.grant, scopes)
}

function budgetFor({ name }: GatewayEntry): number {
  return name === 'wait_for_tx' ? maxWaitMs + readBudgetMs : readBudgetMs
}
