/** Rights to one simulation: which of them a route asks for, and the tokens that carry them (GRID_ROLES). */

import { VariableError } from '../base/errors.ts'
import { type NamedToken, parseNamedTokens } from '../base/named-tokens.ts'
import { nearest } from '../base/nearest.ts'
import { simulationName } from './interface/request-bounds.ts'

/** Rights that a token of GRID_ROLES may carry. */
const grantable = ['viewer', 'trainee', 'trainer'] as const

/**
 * Every right with all before it: a viewer reads what the control room sees, a trainee operates the grid too, a trainer
 * has everything of one simulation, an operator has every simulation.
 */
export const rights = [...grantable, 'operator'] as const

/** One right. */
export type Right = (typeof rights)[number]

/** One entry of GRID_ROLES: a token of one simulation. */
export interface Role extends NamedToken {
  readonly simulation: string
  readonly right: (typeof grantable)[number]
}

/** The part of a simulation that an answer shows: all of it, or what arrived at the control room. */
export type Visibility = 'full' | 'control-room'

/** Tests that a right includes the one that is needed. */
export function covers(right: Right, needed: Right): boolean {
  return rights.indexOf(right) >= rights.indexOf(needed)
}

/** The part of a simulation that a right shows. */
export function visibilityOf(right: Right): Visibility {
  return covers(right, 'trainer') ? 'full' : 'control-room'
}

/** Tests that a simulation has tokens which see the control room's view only: its public status then hides the rest. */
export function hasRestrictedTokens(roles: readonly Role[], simulation: string): boolean {
  return roles.some((role) => role.simulation === simulation && visibilityOf(role.right) === 'control-room')
}

/**
 * Reads GRID_ROLES: a JSON list of `{"name", "token" or "sha256", "simulation", "right"}`.
 *
 * @throws VariableError invalid_settings when an entry is wrong; the message names it and never repeats a token.
 */
export function parseRoles(text: string): readonly Role[] {
  return parseNamedTokens(text, invalid, ({ simulation, right }, index) => {
    if (typeof simulation !== 'string' || !simulationName.test(simulation)) {
      throw invalid(`[${index}].simulation is missing or is not the name of a simulation`)
    }
    return { simulation, right: parseRight(right, index) }
  })
}

function parseRight(right: unknown, index: number): Role['right'] {
  const known = grantable.find((one) => one === right)
  if (known !== undefined) return known
  const near = typeof right === 'string' ? nearest(right, grantable) : undefined
  const perhaps = near === undefined ? '' : `, perhaps ${near}`
  const shown = JSON.stringify(String(right).slice(0, 40))
  throw invalid(`[${index}].right is ${shown}, expected ${grantable.join(', ')}${perhaps}`)
}

function invalid(state: string): VariableError {
  const form = '[{"name":"...","sha256":"...","simulation":"...","right":"trainee"}]'
  return new VariableError(`Cannot use GRID_ROLES: ${state} (form: ${form})`)
}

/** The beginning of a ticket that carries a right; the empty text for an operator's. */
export function ticketPrefix(right: Right): string {
  return right === 'operator' ? '' : `${right}-`
}

/** The right that a ticket carries. Only for a ticket that was found valid: its hash covers the right. */
export function rightOfTicket(ticket: string): Right {
  return grantable.find((right) => ticket.startsWith(ticketPrefix(right))) ?? 'operator'
}
