/** `/v1/what-if`: what other rules would have decided about the sampled requests that are kept. */

import { stringifyWide } from '#base/json.ts'
import { doInSlices } from '#base/slices.ts'
import { pause } from '#objects/base/pause.ts'
import { checkFilesInSlices, parseFilesInSlices } from '#ratelimit/config/compile.ts'
import { boundMistakes } from '#ratelimit/config/mistake-bounds.ts'
import type { RuleBook } from '#ratelimit/rule-book.ts'
import { whatIf } from '#ratelimit/usage/what-if.ts'
import { openIsolate } from './adapters/isolate.ts'
import { refreshRules } from './adapters/rule-book-cache.ts'
import { reportToReader, usageObject } from './adapters/usage-sink.ts'
import { readFiles } from './bodies.ts'
import type { Call } from './call.ts'
import { invalidRules } from './configuration.ts'

/** The rules of a service into which none were ever loaded. */
const noRules: RuleBook = { domains: new Map() }

/** `POST /v1/what-if`: compares the decisions of the files in the body with those of the running rules. */
export async function judgeFiles({ env, request }: Call): Promise<Response> {
  const files = await readFiles(request)
  const { settings } = openIsolate(env)
  const running = (await refreshRules(env, settings)).rules ?? noRules
  const parsed = await doInSlices(parseFilesInSlices(files), pause)
  const checking = checkFilesInSlices(parsed, { mergeDomains: settings.MERGE_DOMAIN_CONFIG })
  const { rules: proposed, mistakes } = await doInSlices(checking, pause)
  if (mistakes.length > 0) return invalidRules(boundMistakes(mistakes))
  await reportToReader(env, settings.USAGE_RECORD_REQUESTS)
  const replay = whatIf(
    await usageObject(env).requests(),
    { running, proposed },
    { comparisons: settings.REQUEST_MAX_COMPARISONS, isQuotaMode: settings.QUOTA_MODE },
  )
  const body = stringifyWide(await doInSlices(replay, pause))
  return new Response(body, { headers: { 'content-type': 'application/json' } })
}
