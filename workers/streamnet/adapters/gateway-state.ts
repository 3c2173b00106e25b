/** The state of one isolate of the gateway between requests: grants, the signer, and answers. */

import { messageOf } from '#base/errors.ts'
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

/** Values that depend only on the deployment. */
export interface GatewayState {
  readonly grants: readonly Grant[]
  /** The reads that are open to callers without a token; undefined for none. */
  readonly publicRead: PublicReader | undefined
  /** Undefined when the deployment has no key: it can read and cannot write. */
  readonly signer: Signer | undefined
  /** The secret that signs tickets of event streams; empty where no caller has a token. */
  readonly ticketSecret: string
  readonly answers: AnswerCache
  /** The platform's cache, for answers that never change; undefined where there is none. */
  readonly edge: EdgeCache | undefined
  /** True when a block stays where it is: not on the deployment's own node when that takes development methods. */
  readonly isPastFinal: boolean
}

/** The reads that are open to callers without a token, and their counts. */
interface PublicReader extends PublicRead {
  readonly rate: RequestRate
}

const isolates = new WeakMap<StreamnetEnv, GatewayState>()

/** Finds the state of this isolate; undefined before the first request that needed it. */
export function findGatewayState(env: StreamnetEnv): GatewayState | undefined {
  return isolates.get(env)
}

/** Reads the settings once for the environment of this isolate; invalid_settings at every request while one is malformed. */
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
    throw new GatewayError('invalid_settings', messageOf(error))
  }
}
