/** The sequence and window rules of one end of an IEC 60870-5-104 connection. Plain data in and out. */

import { type Iec104Apdu, iec104Parameter } from './iec104.ts'
import type { Iec104Asdu } from './iec104-asdu.ts'

/** One end of a connection; serialisable. Sequence numbers are modulo 32768. */
export interface Iec104Link {
  /** True once data transfer is started: STARTDT acknowledged. */
  readonly isStarted: boolean
  /** V(S): the number of the next I-format to send. */
  readonly sendSequence: number
  /** V(R): the number of the next I-format expected. */
  readonly receiveSequence: number
  /** The oldest own I-format that the peer has not acknowledged. */
  readonly acknowledged: number
  /** I-formats received since the last N(R) was sent. */
  readonly unacknowledgedReceived: number
}

/** An end that waits: the oldest own I-format without an acknowledgment, and since when it is the oldest. */
export interface Iec104Wait {
  readonly acknowledged: number
  /** Integer microseconds. */
  readonly sinceUs: number
}

/** The consequences of a received APDU. */
export interface Iec104Receipt {
  readonly link: Iec104Link
  /** An APDU that must be sent back now: a confirmation, or an S-format after w I-formats. */
  readonly reply?: Iec104Apdu
  /** Set when the sequence is broken: the standard asks to close the connection. */
  readonly violation?: string
}

/** A connection that has just been opened. */
export const newIec104Link: Iec104Link = {
  isStarted: false,
  sendSequence: 0,
  receiveSequence: 0,
  acknowledged: 0,
  unacknowledgedReceived: 0,
}

const modulo = 32768

/** Tells whether an I-format may be sent now: started, and fewer than k of them unacknowledged (clause 5.5). */
export function maySend(link: Iec104Link): boolean {
  return link.isStarted && distance(link.acknowledged, link.sendSequence) < iec104Parameter.k
}

/** Numbers an ASDU and moves the link on; its N(R) acknowledges everything received. Ask `maySend` first. */
export function sendAsdu(link: Iec104Link, asdu: Iec104Asdu): { readonly link: Iec104Link; readonly apdu: Iec104Apdu } {
  const { sendSequence, receiveSequence } = link
  return { apdu: { format: 'I', sendSequence, receiveSequence, asdu }, link: countSent(link) }
}

/** Moves the link on by an I-format. */
export function countSent(link: Iec104Link): Iec104Link {
  return { ...link, sendSequence: (link.sendSequence + 1) % modulo, unacknowledgedReceived: 0 }
}

/**
 * Brings N(R) of an APDU that has waited up to date, in place in octets 4 and 5; returns the link, which owes nothing
 * then.
 */
export function stampAcknowledgment(link: Iec104Link, octets: Uint8Array): Iec104Link {
  if (octets.length < 6 || ((octets[2] ?? 0) & 3) === 3) return link
  const word = link.receiveSequence * 2
  octets[4] = word & 0xff
  octets[5] = word >>> 8
  return link.unacknowledgedReceived === 0 ? link : { ...link, unacknowledgedReceived: 0 }
}

/** Acknowledges everything received with an S-format, as t2 asks for. */
export function acknowledge(link: Iec104Link): { readonly link: Iec104Link; readonly apdu: Iec104Apdu } {
  return { apdu: { format: 'S', receiveSequence: link.receiveSequence }, link: { ...link, unacknowledgedReceived: 0 } }
}

type Numbered = Omit<Extract<Iec104Apdu, { readonly format: 'I' }>, 'asdu'>

/** Takes in one APDU: checks numbers, answers U-formats, acknowledges after w I-formats (IEC 60870-5-104 clause 5). */
export function receiveApdu(link: Iec104Link, apdu: Numbered | Iec104Apdu): Iec104Receipt {
  if (apdu.format === 'U') return receiveUnnumbered(link, apdu.function)
  const outstanding = distance(link.acknowledged, link.sendSequence)
  if (distance(link.acknowledged, apdu.receiveSequence) > outstanding) {
    return { link, violation: `N(R) ${apdu.receiveSequence} acknowledges what was never sent` }
  }
  const acknowledged = { ...link, acknowledged: apdu.receiveSequence }
  if (apdu.format === 'S') return { link: acknowledged }
  if (apdu.sendSequence !== link.receiveSequence) {
    return { link, violation: `N(S) is ${apdu.sendSequence}, expected ${link.receiveSequence}` }
  }
  const next = {
    ...acknowledged,
    receiveSequence: (link.receiveSequence + 1) % modulo,
    unacknowledgedReceived: link.unacknowledgedReceived + 1,
  }
  if (next.unacknowledgedReceived < iec104Parameter.w) return { link: next }
  const answer = acknowledge(next)
  return { link: answer.link, reply: answer.apdu }
}

/** Follows how long an end has waited for its peer, also for the confirmation of STARTDT; undefined if it does not. */
export function followWait(
  { isStarted, acknowledged, sendSequence }: Iec104Link,
  before: Iec104Wait | undefined,
  isCalling: boolean,
  timeUs: number,
): Iec104Wait | undefined {
  const isWaiting = acknowledged !== sendSequence || (isCalling && !isStarted)
  if (!isWaiting) return undefined
  return before?.acknowledged === acknowledged ? before : { acknowledged, sinceUs: timeUs }
}

function receiveUnnumbered(link: Iec104Link, name: Extract<Iec104Apdu, { format: 'U' }>['function']): Iec104Receipt {
  switch (name) {
    case 'STARTDT_ACT':
      return { link: { ...link, isStarted: true }, reply: { format: 'U', function: 'STARTDT_CON' } }
    case 'STOPDT_ACT':
      return { link: { ...link, isStarted: false }, reply: { format: 'U', function: 'STOPDT_CON' } }
    case 'TESTFR_ACT':
      return { link, reply: { format: 'U', function: 'TESTFR_CON' } }
    case 'STARTDT_CON':
      return { link: { ...link, isStarted: true } }
    case 'STOPDT_CON':
      return { link: { ...link, isStarted: false } }
    case 'TESTFR_CON':
      return { link }
  }
}

function distance(from: number, to: number): number {
  return (to - from + modulo) % modulo
}
