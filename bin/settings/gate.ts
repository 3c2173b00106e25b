/** Settings of the gate that have no effect together. The start goes on: a gate that cannot ask lets requests pass. */

import { readOperationsSettings } from '#edge/settings.ts'
import { parseCallerTokens } from '#ratelimit/caller-tokens.ts'

/** Finds settings of the gate that have no effect together: one line for each, without a token. */
export function gateWarnings(vars: Readonly<Record<string, string>>): readonly string[] {
  const { isGateEnabled, gateCallerToken } = readOperationsSettings(vars)
  const hasToken = gateCallerToken !== ''
  if (!isGateEnabled) return hasToken ? [warning('GATE_CALLER_TOKEN', 'GATE_ENABLED is false')] : []
  const callers = parseCallerTokens(vars.CALLER_TOKENS ?? '')
  if (callers === null) {
    const state = 'without CALLER_TOKENS the rate limiter asks for none'
    return hasToken ? [warning('GATE_CALLER_TOKEN', state)] : []
  }
  if ([...callers.values()].includes(gateCallerToken)) return []
  const state = hasToken
    ? 'GATE_CALLER_TOKEN is not a token of CALLER_TOKENS'
    : 'CALLER_TOKENS is set and GATE_CALLER_TOKEN is not'
  return [warning('GATE_ENABLED', `${state}, expected the token of one entry, without its name`)]
}

function warning(name: string, state: string): string {
  return `Cannot use ${name}, it has no effect: ${state}`
}
