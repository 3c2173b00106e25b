/** What one isolate of the gateway keeps between requests: who may ask, the key's address, and answers. */

import type { StreamnetEnv } from '../../durable-objects/env.ts'
import { isEmbedded } from '../../durable-objects/upstream.ts'
import { parseNodeSettings } from '../../src/devnode/settings.ts'
import { GatewayError } from '../../src/gateway/errors.ts'
import { type PublicRead, parsePublicRead } from '../../src/gateway/public-read.ts'
import { assertDistinct, fullGrant, type Grant, parseGrants } from '../../src/gateway/tokens.ts'
import { createSigner, type Signer } from '../../src/streamnet/index.ts'
import { createRequestRate, type RequestRate } from '../streamnet/request-rate.ts'
import { type AnswerCache, createAnswerCache } from './answer-cache.ts'
import { type EdgeCache, openEdgeCache } from './edge-cache.ts'

export type { KeptAnswer } from './answer-cache.ts'

/** What depends on the deployment alone. */
export interface GatewayIsolate {
  readonly grants: readonly Grant[]
  /** What callers without a token may read; undefined for nothing. */
  readonly publicRead: PublicReader | undefined
  /** Undefined when the deployment has no key: it can read and cannot write. */
  readonly signer: Signer | undefined
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

const isolates = new WeakMap<StreamnetEnv, GatewayIsolate>()

/** What this isolate keeps already; undefined before the first request that needed it. */
export function knownIsolate(env: StreamnetEnv): GatewayIsolate | undefined {
  return isolates.get(env)
}

/**
 * Reads the settings once for every environment that this isolate is given, which is one.
 *
 * @throws GatewayError invalid_settings, at every request until the deployment is put right.
 */
export function gatewayIsolateOf(env: StreamnetEnv): GatewayIsolate {
  const known = isolates.get(env)
  if (known !== undefined) return known
  const isolate = {
    grants: readGrants(env),
    publicRead: openPublicRead(env),
    signer: env.STREAMNET_PRIVATE_KEY ? openSigner(env.STREAMNET_PRIVATE_KEY) : undefined,
    answers: createAnswerCache(),
    edge: openEdgeCache(),
    isPastFinal: !isEmbedded(env) || !parseNodeSettings({ ...env }).isDevelopment,
  }
  isolates.set(env, isolate)
  return isolate
}

function openPublicRead(env: StreamnetEnv): PublicReader | undefined {
  const publicRead = parsePublicRead(env)
  return publicRead && { ...publicRead, rate: createRequestRate(publicRead.perMinute) }
}

function readGrants(env: StreamnetEnv): readonly Grant[] {
  const grants = [
    ...(env.STREAMNET_TOKEN ? [fullGrant(env.STREAMNET_TOKEN)] : []),
    ...(env.STREAMNET_TOKENS ? parseGrants(env.STREAMNET_TOKENS) : []),
  ]
  assertDistinct(grants)
  return grants
}

function openSigner(privateKey: string): Signer {
  try {
    return createSigner(privateKey)
  } catch {
    // The cause is left out: nothing about a key belongs in a log.
    throw new GatewayError(
      'invalid_settings',
      'Cannot use STREAMNET_PRIVATE_KEY: expected 64 hex digits of a secp256k1 key',
    )
  }
}
