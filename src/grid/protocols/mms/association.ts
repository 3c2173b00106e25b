/** The frames that begin an MMS association: COTP, then session, presentation, ACSE and the initiate in one. */

import type { MmsFrame } from './frame.ts'
import type { MmsInitiate } from './pdu.ts'
import type { MmsNode } from './presentation.ts'

/** Presentation contexts of ACSE and of MMS, as clients propose them. */
const contexts = { acse: 1, mms: 3 } as const

const leaf = (tag: number, ...octets: readonly number[]): MmsNode => ({ tag, octets: Uint8Array.from(octets) })
const tree = (tag: number, ...nodes: readonly MmsNode[]): MmsNode => ({ tag, nodes })

/** Object identifiers: abstract syntaxes of ACSE and MMS, BER, the application context of MMS. */
const acse = leaf(0x06, 0x52, 1, 0, 1)
const mms = leaf(0x06, 0x28, 0xca, 0x22, 2, 1)
const ber = leaf(0x06, 0x51, 1)
const applicationContext = tree(0xa1, leaf(0x06, 0x28, 0xca, 0x22, 2, 3))

/** Application titles of the two ends: placeholders of the joint ISO and ITU-T arc. */
const titles = { calling: [0x29, 1, 0x87, 0x67], called: [0x29, 1, 0x87, 0x67, 1] } as const

const normalMode = tree(0xa0, leaf(0x80, 1))

/** Version 2 of the session, then its functional unit: duplex. */
const sessionVersion = { code: 5, value: Uint8Array.of(0x13, 1, 0, 0x16, 1, 2) }
const duplex = { code: 0x14, value: Uint8Array.of(0, 2) }
const selector = (code: 0x33 | 0x34) => ({ code, value: Uint8Array.of(0, 1) })

/**
 * The abilities of both ends: names and lists as variables, structures; the services getNameList, identify, read, write,
 * informationReport and conclude (ISO 9506-2, ParameterSupportOptions and ServiceSupportOptions).
 */
const abilities = {
  largestPdu: 1400,
  outstandingCalling: 5,
  outstandingCalled: 5,
  nesting: 8,
  version: 1,
  parameterSupport: Uint8Array.of(5, 0xf1, 0),
  servicesSupported: Uint8Array.of(3, 0x6c, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0x10),
} as const satisfies Omit<MmsInitiate, 'kind'>

/** The request for a COTP connection of class 0, with TPDUs of 1,024 octets. */
export const connectionRequest = {
  kind: 'connection_request',
  destinationReference: 0,
  sourceReference: 1,
  serviceClass: 0,
  parameters: [
    { code: 0xc0, value: Uint8Array.of(0x0a) },
    { code: 0xc1, value: Uint8Array.of(0, 1) },
    { code: 0xc2, value: Uint8Array.of(0, 1) },
  ],
} as const satisfies MmsFrame

/** The answer to a request with the reference of its sender. */
export function confirmConnection(destinationReference: number): MmsFrame {
  return { ...connectionRequest, kind: 'connection_confirm', destinationReference, sourceReference: 2 }
}

/** Session CONNECT with the presentation's CP, ACSE's AARQ and the initiate request in it. */
export const associateRequest: MmsFrame = {
  kind: 'associate_request',
  parameters: [sessionVersion, duplex, selector(0x33), selector(0x34)],
  presentation: tree(
    0x31,
    normalMode,
    tree(
      0xa2,
      leaf(0x81, 0, 0, 0, 1),
      leaf(0x82, 0, 0, 0, 1),
      tree(
        0xa4,
        tree(0x30, leaf(0x02, contexts.acse), acse, tree(0x30, ber)),
        tree(0x30, leaf(0x02, contexts.mms), mms, tree(0x30, ber)),
      ),
      userData(
        tree(
          0x60,
          applicationContext,
          tree(0xa2, leaf(0x06, ...titles.called)),
          tree(0xa3, leaf(0x02, 12)),
          tree(0xa6, leaf(0x06, ...titles.calling)),
          tree(0xa7, leaf(0x02, 12)),
          initiate('initiate_request'),
        ),
      ),
    ),
  ),
}

/** Session ACCEPT with the presentation's CPA, ACSE's AARE and the initiate response in it. */
export const associateResponse: MmsFrame = {
  kind: 'associate_response',
  parameters: [sessionVersion, duplex, selector(0x34)],
  presentation: tree(
    0x31,
    normalMode,
    tree(
      0xa2,
      leaf(0x83, 0, 0, 0, 1),
      tree(0xa5, tree(0x30, leaf(0x80, 0), leaf(0x81, 0x51, 1)), tree(0x30, leaf(0x80, 0), leaf(0x81, 0x51, 1))),
      userData(
        tree(
          0x61,
          applicationContext,
          tree(0xa2, leaf(0x02, 0)),
          tree(0xa3, tree(0xa1, leaf(0x02, 0))),
          initiate('initiate_response'),
        ),
      ),
    ),
  ),
}

function userData(apdu: MmsNode): MmsNode {
  return tree(0x61, tree(0x30, leaf(0x02, contexts.acse), tree(0xa0, apdu)))
}

function initiate(kind: MmsInitiate['kind']): MmsNode {
  const pdu = { kind, ...abilities }
  return tree(0xbe, tree(0x28, leaf(0x02, contexts.mms), tree(0xa0, { pdu })))
}
