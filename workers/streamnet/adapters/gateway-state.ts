/** What one isolate of the gateway keeps between requests: who may ask, the key's address, and answers. */

import { type NodeSettings, parseNodeSettings } from '#devnode/settings.ts'
import { GatewayError } from '#gateway/errors.ts'
import type { PublicRead } from '#gateway/public-read.ts'
import { readGatewaySettings } from '#gateway/settings.ts'
import type { Grant } from '#gateway/tokens.ts'
import type { StreamnetEnv } from '#objects/streamnet/env.ts'
import { isEmbedded } from '#objects/streamnet/upstream.ts'
import type { Signer } from '#streamnet/index.ts'
import { createRequestRate, type RequestRate } from '../request-rate.ts'
import { type AnswerCache, createAnswerCache } from './answer-cache.ts'
import { type EdgeCache, openEdgeCache } from './edge-cache.ts'

/** What depends only on the deployment. */
export interface GatewayState {
  readonly grants: readonly Grant[]
  /** What callers without a token may read; undefined for nothing. */
  readonly publicRead: PublicReader | undefined
  /** Undefined when the deployment has no key: it can read and cannot write. */
  readonly signer: Signer | undefined
  /** What tickets of event streams are signed with; empty where no caller has a token. */
  readonly ticketSecret: string
  readonly answers: AnswerCache
  /** The platform's cache, for answers that never change; undefined where there is none. */
  readonly edge: EdgeCache | undefined
  /** Whether a block stays where it is: not on the deployment's own node when that takes development methods. */
  readonly isPastFinal: boolean
}

/** What callers without a token may read, and how often each has. */
export interface PublicReader extends PublicRead {
  readonly rate: RequestRate
}

const isolates = new WeakMap<StreamnetEnv, GatewayState>()

/** What this isolate keeps already; undefined before the first request that needed it. */
export function findGatewayState(env: StreamnetEnv): GatewayState | undefined {
  return isolates.get(env)
}

/**
 * Reads the settings once for every environment that this isolate is given, which is one.
 *
 * @throws GatewayError invalid_settings when a variable is malformed, at every request until the deployment
 * is put right.
 */
export function getGatewayState(env: StreamnetEnv): GatewayState {
  const known = isolates.get(env)
  if (known !== undefined) return known
  const { grants, signer, publicRead, ticketSecret } = readGatewaySettings({ ...env })
  const isolate = {
    grants,
    signer,
    ticketSecret,
    publicRead: publicRead && { ...publicRead, rate: createRequestRate(publicRead.perMinute) },
    answers: createAnswerCache(),
    edge: openEdgeCache(),
    isPastFinal: !isEmbedded(env) || !readNode(env).isDevelopment,
  }
  isolates.set(env, isolate)
  return isolate
}

function readNode(env: StreamnetEnv): NodeSettings {
  try {
    return parseNodeSettings({ ...env })
  } catch (error) {
    throw new GatewayError('invalid_settings', error instanceof Error ? error.message : String(error))
  }
}
