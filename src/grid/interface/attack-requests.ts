/** The bodies of requests that enable and disable attacks. */

import * as z from 'zod'
import { isRecord } from '../../base/json.ts'
import { nearest } from '../../base/nearest.ts'
import { maximumListed } from '../attacks/params.ts'
import { GridError } from '../errors.ts'
import { showName, showValue } from './body-mistakes.ts'

/** The fields of an enable request; the attack's parameter table checks their values. */
export interface AttackEnableRequest {
  readonly type: string
  readonly params: Readonly<Record<string, unknown>>
  readonly schedule?: unknown
  readonly target_link?: unknown
  readonly seed?: unknown
  /** Unknown names of the body; the attack's parameter table tells whether they are mistakes. */
  readonly unknown?: readonly string[]
}

/** The fields of an enable request. */
export const enableFields = ['type', 'params', 'schedule', 'target_link', 'seed'] as const

/**
 * Reads the body of an enable request; `unread` says why there is none, and the contract reads `{}` in its place.
 *
 * @throws GridError invalid_request when the body or `params` is not an object or `type` is missing; nothing else is
 * refused here, because an attack that cannot be enabled is an answer and not an error.
 */
export function parseAttackEnable(body: unknown, unread?: string): AttackEnableRequest {
  if (!isRecord(body)) throw new GridError('invalid_request', 'Request body must be a JSON object')
  const { type, params = {}, schedule, target_link, seed, ...others } = body
  if (typeof type !== 'string' || type.trim() === '') {
    const meant = Object.keys(body).find((name) => name !== 'type' && nearest(name, ['type']) === 'type')
    const unreadable = unread === undefined ? '' : `The body cannot be read: ${unread}. `
    const nearby = meant === undefined ? unreadable : `Did you mean "type" where the body says "${showName(meant)}"? `
    throw new GridError('invalid_request', "Missing 'type' field", {
      hint: `${nearby}Send {"type": "NOISE", "params": {"noise_std": 2}}; GET /api/v1/attacks/catalog lists every type`,
    })
  }
  if (!isRecord(params)) {
    throw new GridError('invalid_request', 'params must be a JSON object', {
      hint: 'Leave params out to take every default',
    })
  }
  const unknown = Object.keys(others)
  return { type, params, ...(unknown.length > 0 && { unknown }), schedule, target_link, seed }
}

/** The attacks that a disable request names; none means all of them. */
export interface AttackDisableRequest {
  readonly type?: string
  readonly attack_id?: string
  /** Mistakes of the body; then the request ends nothing. */
  readonly mistakes?: readonly string[]
}

/** Reads the body of a disable request, if any; mistakes are listed, because the answer is always a success. */
export function parseAttackDisable(body: unknown): AttackDisableRequest {
  if (body === undefined) return {}
  if (!isRecord(body)) return { mistakes: ['the body is not a JSON object'] }
  const named = (['type', 'attack_id'] as const).filter((name) => Object.hasOwn(body, name))
  const wrong = named
    .filter((name) => typeof body[name] !== 'string' || body[name].trim() === '')
    .map((name) => `${name} is ${showValue(body[name])}, expected a text`)
  const misspelled = Object.keys(body).flatMap((name) => {
    const meant = nearest(name, ['type', 'attack_id'])
    if (meant === undefined || meant === name) return []
    return [`unknown property "${showName(name)}", did you mean "${meant}"?`]
  })
  const mistakes = [...wrong, ...misspelled].slice(0, maximumListed)
  if (mistakes.length > 0) return { mistakes }
  const { type, attack_id } = body
  return {
    ...(typeof type === 'string' ? { type: type.trim().toUpperCase() } : {}),
    ...(typeof attack_id === 'string' ? { attack_id } : {}),
  }
}

/** The shape of an enable request, for the description of the interface. */
export const enableShape = z.looseObject({
  type: z.string().min(1),
  params: z.record(z.string(), z.unknown()).optional(),
  schedule: z
    .object({ start_frame: z.int().min(0), duration_frames: z.int().min(0) })
    .partial()
    .optional(),
  target_link: z.string().nullable().optional(),
  seed: z.int().min(0).max(0xffffffff).optional(),
})

/** The shape of a disable request, for the description of the interface. */
export const disableShape = z.looseObject({ type: z.string().optional(), attack_id: z.string().optional() })
