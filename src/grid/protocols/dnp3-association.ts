/** The counters of a DNP3 association, and the fragments that they number: requests, responses, reports, confirms. */

import { type Dnp3Fragment, type Dnp3Function, wholeFragment } from './dnp3-fragment.ts'
import type { Dnp3Object } from './dnp3-objects.ts'

/** The counters of one end of an association. Plain data: it travels in snapshots. */
export interface Dnp3Sequence {
  /** The transport sequence of the next segment, modulo 64. */
  readonly transport: number
  /** The sequence of the master's next request, modulo 16. */
  readonly application: number
  /** The sequence of the outstation's next unsolicited response, modulo 16. */
  readonly unsolicited: number
}

/** The counters of an association that has sent nothing. */
export const newDnp3Sequence: Dnp3Sequence = { transport: 0, application: 0, unsolicited: 0 }

/** Numbers a request of the master and moves its counters on. */
export function nextRequest(
  sequence: Dnp3Sequence,
  functionCode: Dnp3Function,
  objects: readonly Dnp3Object[] = [],
): { readonly fragment: Dnp3Fragment; readonly sequence: Dnp3Sequence } {
  return {
    fragment: { control: wholeFragment(sequence.application), functionCode, objects },
    sequence: { ...sequence, application: (sequence.application + 1) & 15 },
  }
}

/** Numbers an unsolicited response, which asks for a confirm, and moves the outstation's counters on. */
export function nextUnsolicited(
  sequence: Dnp3Sequence,
  indications: number,
  objects: readonly Dnp3Object[],
): { readonly fragment: Dnp3Fragment; readonly sequence: Dnp3Sequence } {
  const control = wholeFragment(sequence.unsolicited, { confirm: true, unsolicited: true })
  return {
    fragment: { control, functionCode: 'unsolicited_response', indications, objects },
    sequence: { ...sequence, unsolicited: (sequence.unsolicited + 1) & 15 },
  }
}

/** Answers a request with its own sequence. */
export function respondTo(
  request: Dnp3Fragment,
  indications: number,
  objects: readonly Dnp3Object[] = [],
): Dnp3Fragment {
  const control = wholeFragment(request.control.sequence)
  return { control, functionCode: 'response', indications, objects }
}

/** Confirms a response that asked for it, with its own sequence and kind. */
export function toConfirm(response: Dnp3Fragment): Dnp3Fragment {
  const { unsolicited, sequence } = response.control
  return { control: wholeFragment(sequence, { unsolicited }), functionCode: 'confirm', objects: [] }
}
