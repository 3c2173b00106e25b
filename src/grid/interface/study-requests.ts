/** The query of a study: which study, by which method, of which breakers. */

import { GridError } from '../errors.ts'
import type { PickupChoice } from '../plant/protection.ts'
import type { DecoupledScheme } from '../studies/fast-decoupled.ts'
import { showName } from './body-mistakes.ts'

/** A request for a study, with every default filled in. */
export type StudyRequest =
  | { readonly kind: 'contingency'; readonly method: 'ac' | 'dc'; readonly limit: number }
  | { readonly kind: 'cascade'; readonly open: readonly string[]; readonly pickup: PickupChoice }
  | { readonly kind: 'fast-decoupled'; readonly scheme: DecoupledScheme }
  | { readonly kind: 'dc-estimation' }

/** The parameters of every study by name, each with what it means; the OpenAPI document lists them. */
export const studyParameters = {
  contingency: {
    method: '`ac` (the default) solves every outage, `dc` ranks them by linear factors',
    limit: 'how many of the worst outages: 1 to 500, default 20',
  },
  cascade: {
    open: 'breakers that open first, such as CB-2-3,CB-2-4: 1 to 16, separated by commas',
    pickup: 'pick-ups of the relays: `secure` (the default) or `fragile`',
  },
  'fast-decoupled': { scheme: 'which matrix leaves resistance out: `XB` (the default) or `BX`' },
  'dc-estimation': {},
} as const satisfies Record<StudyRequest['kind'], Readonly<Record<string, string>>>

/** Most breakers that a cascade can begin with. */
const maximumOpened = 16

/** Outages that an answer lists, at most and by default. */
const outages = { most: 500, usual: 20 } as const

/**
 * Reads the query of a study.
 *
 * @throws GridError invalid_request when a parameter has a value that the study does not know.
 */
export function parseStudy(kind: StudyRequest['kind'], query: (name: string) => string | undefined): StudyRequest {
  switch (kind) {
    case 'contingency': {
      const method = readChoice('method', query('method'), ['ac', 'dc'])
      return { kind, method, limit: readCount(query('limit')) }
    }
    case 'cascade': {
      const pickup = readChoice('pickup', query('pickup'), ['secure', 'fragile'])
      return { kind, open: readBreakers(query('open')), pickup }
    }
    case 'fast-decoupled':
      return { kind, scheme: readChoice('scheme', query('scheme'), ['XB', 'BX']) }
    case 'dc-estimation':
      return { kind }
  }
}

/** Reads one word of a list; the first one is the default. */
function readChoice<const Word extends string>(
  name: string,
  text: string | undefined,
  words: readonly [Word, ...Word[]],
): Word {
  if (text === undefined) return words[0]
  const word = words.find((one) => one.toLowerCase() === text.toLowerCase())
  if (word !== undefined) return word
  throw refuse(name, text, words.join(' or '))
}

function readCount(text: string | undefined): number {
  if (text === undefined) return outages.usual
  const count = Number(text)
  if (/^\d+$/.test(text) && count >= 1 && count <= outages.most) return count
  throw refuse('limit', text, `an integer from 1 to ${outages.most}`)
}

function readBreakers(text: string | undefined): readonly string[] {
  const expected = `1 to ${maximumOpened} names such as CB-2-3, separated by commas`
  if (text === undefined) {
    throw new GridError('invalid_request', 'Cannot run the study: "open" is missing', {
      hint: `Send ?open= with ${expected}; GET /api/v1/topology lists grid.breakers`,
    })
  }
  const breakers = [...new Set(text.split(',').map((name) => name.trim()))]
  if (breakers.length <= maximumOpened && !breakers.includes('')) return breakers
  throw refuse('open', text, expected)
}

function refuse(name: string, text: string, expected: string): GridError {
  const state = `${name} is "${showName(text)}", expected ${expected}`
  return new GridError('invalid_request', `Cannot run the study: ${state}`)
}
