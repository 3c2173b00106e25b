/** Follows a control plane: the rules of each response go to the service as a whole, and are accepted or refused. */

import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '#base/errors.ts'
import { type DiscoveryResponse, decodeDiscoveryResponse, encodeDiscoveryRequest } from '#proto-json/xds.ts'
import { reconnectDelayMs, refusalDelayMs } from '#ratelimit/config/xds.ts'
import { changesText, type PushResult, refusalLines } from '../ratelimit/push.ts'
import type { LocatedFile } from '../ratelimit/runtime-directory.ts'
import { type DiscoveryStream, openDiscoveryStream } from './discovery-stream.ts'
import { createResponseBudget, mostResponses, type ResponseBudget } from './response-budget.ts'
import { readFiles } from './rule-files.ts'
import type { ControlPlane } from './settings.ts'

interface FollowOptions {
  readonly signal: AbortSignal
  /** Replaces the whole configuration of the service; throws while the service is away. */
  readonly publish: (files: readonly LocatedFile[]) => Promise<PushResult>
  readonly say: (line: string) => void
  /** Called after each response that was accepted or refused. */
  readonly onUpdate?: () => void
}

/** Progress over all streams. */
interface Followed {
  /** The version in force; empty before the first. */
  version: string
  /** The files in force, as one text; null before the first. */
  inForce: string | null
  /** Refused responses in a row. */
  refusals: number
  /** The lines of the last refusal, as one text; empty after an acceptance. */
  refused: string
  /** Streams since the last acceptance. */
  attempt: number
}

interface Following {
  readonly plane: ControlPlane
  readonly options: FollowOptions
  readonly followed: Followed
  readonly budget: ResponseBudget
}

/** Follows until the signal aborts; rules stay in force while the control plane is away or contradicts itself. */
export async function followControlPlane(plane: ControlPlane, options: FollowOptions): Promise<void> {
  const { signal, say } = options
  const followed: Followed = { version: '', inForce: null, refusals: 0, refused: '', attempt: 0 }
  const following: Following = { plane, options, followed, budget: createResponseBudget() }
  let said = ''
  for (; !signal.aborted; followed.attempt++) {
    const reason = await followStream(following)
    if (signal.aborted) return
    if (reason !== said) say(`Control plane ${plane.target}: ${reason}; the rules in force stay`)
    said = reason
    await pause(reconnectDelayMs(plane.backoff, followed.attempt, Math.random()), signal)
  }
}

/** Follows one stream to its end, and gives the reason of the end. Each stream begins without a version and a nonce. */
async function followStream(following: Following): Promise<string> {
  const { plane, options } = following
  const { signal, say } = options
  let close = () => {}
  try {
    const onSilence = () => say(`Control plane ${plane.target} does not answer; the rules in force stay`)
    const opened = openDiscoveryStream(plane, onSilence)
    const cancel = () => opened.stream.cancel()
    signal.addEventListener('abort', cancel)
    close = () => {
      signal.removeEventListener('abort', cancel)
      opened.stream.cancel()
      opened.close()
    }
    opened.stream.write(encodeDiscoveryRequest({ node: plane.node, version: '', nonce: '' }))
    for await (const bytes of opened.stream) await answer(bytes, opened.stream, following)
    return 'the stream has ended'
  } catch (error) {
    return messageOf(error)
  } finally {
    close()
  }
}

/** Applies one response, and accepts or refuses it. */
async function answer(bytes: Uint8Array, stream: DiscoveryStream, following: Following): Promise<void> {
  const { plane, followed, options } = following
  await holdBack(following)
  if (options.signal.aborted) return
  const response = decodeDiscoveryResponse(bytes)
  const refusal = await applyResponse(response, following)
  if (options.signal.aborted) return
  if (refusal === null) {
    Object.assign(followed, { version: response.version, refusals: 0, refused: '', attempt: 0 })
  } else {
    tellRefusal(refusal, following)
    options.onUpdate?.()
    await pause(refusalDelayMs(followed.refusals++), options.signal)
  }
  const { node } = plane
  const { version } = followed
  stream.write(
    encodeDiscoveryRequest({
      node,
      version,
      nonce: response.nonce,
      ...(refusal !== null && { refusal: refusal.join('\n').slice(0, mostRefusalCharacters) }),
    }),
  )
  if (refusal === null) options.onUpdate?.()
}

/** Waits when the budget is used up: a control plane that floods gets no more than its share of the service. */
async function holdBack({ plane, budget, options: { say, signal } }: Following): Promise<void> {
  const waitMs = budget.take(performance.now())
  if (waitMs === 0) return
  say(`Control plane ${plane.target} sends more than ${mostResponses} responses in ten seconds: the next ones wait`)
  await pause(waitMs, signal)
}

/** Says a refusal once: control planes send refused rules again. */
function tellRefusal(lines: readonly string[], { plane, followed, options: { say } }: Following): void {
  const text = lines.join('\n')
  if (text === followed.refused) return
  followed.refused = text
  say(`Rules of control plane ${plane.target} refused, the rules in force stay:`)
  for (const line of lines) say(`  ${line}`)
}

/** Puts the rules of a response in force. Returns null, or the lines that say why not. */
async function applyResponse(response: DiscoveryResponse, following: Following): Promise<readonly string[] | null> {
  const { followed, options, plane } = following
  const files = readFiles(response)
  if (typeof files === 'string') return [files]
  const text = JSON.stringify(files)
  // A new stream begins with the rules that are in force already.
  if (text === followed.inForce) return null
  const result = await publishUntilTaken(files, following)
  if (result === null) return null
  if (result.kind === 'refused') return refusalLines(result)
  followed.inForce = text
  if (result.kind === 'accepted')
    options.say(
      `Rules of control plane ${plane.target}: revision ${result.revision} runs${changesText(result.changes)}`,
    )
  return null
}

const publishAgainMs = 2_000

/** Publishes until the service answers: a service that is away refuses nothing. Null when the signal aborts. */
async function publishUntilTaken(
  files: readonly LocatedFile[],
  { options: { publish, say, signal } }: Following,
): Promise<PushResult | null> {
  let said = ''
  while (!signal.aborted) {
    try {
      return await publish(files)
    } catch (error) {
      const line = messageOf(error)
      if (line !== said) say(line)
      said = line
      await pause(publishAgainMs, signal)
    }
  }
  return null
}

const mostRefusalCharacters = 4_000

/** Waits until the time is over or the signal aborts. */
async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal }).catch(() => {})
}
