/** Presentation and ACSE (ISO 8823-1, ISO 8650-1): a tree with the PDU that begins an association, or one PDU later. */

import { type Decoded, decoded, faulty, readOctets } from '../../link/octet-reader.ts'
import { type BerElement, encodeElement, encodeInteger, fromIntegerOctets, takeElement, takeTagged } from '../ber.ts'
import { decodeMmsPdu, encodeMmsPdu, type MmsPdu } from './pdu.ts'

/** An element of the presentation or of ACSE: a leaf with its octets, one with the elements in it, or the PDU. */
export type MmsNode =
  | { readonly tag: number; readonly octets: Uint8Array }
  | { readonly tag: number; readonly nodes: readonly MmsNode[] }
  | { readonly pdu: MmsPdu }

/** Encodes a tree, with the PDU in its place. */
export function encodePresentation(node: MmsNode): Uint8Array {
  if ('pdu' in node) return encodeMmsPdu(node.pdu)
  return encodeElement(node.tag, ...('octets' in node ? [node.octets] : node.nodes.map(encodePresentation)))
}

/** Decodes a tree. Faults: `truncated`, `length`, `value`, those of the PDU. */
export function decodePresentation(octets: Uint8Array): Decoded<MmsNode> {
  const reader = readOctets(octets, 'presentation')
  const outermost = reader.finish(takeElement(reader, 'element'))
  return outermost.ok ? decodeNode(outermost.value, octets, 0) : outermost
}

/** Depth of ACSE in the presentation, under 31 A2 61 30 A0: A8 and A9 above it are not an initiate. */
const acseDepth = 5
/** Deepest nesting that is followed; an initiate is at 9. */
const mostDepth = 16

/** Tags of the requests and responses of an initiate, in the user information of ACSE. */
const initiateTags: readonly number[] = [0xa8, 0xa9]

/** The node of an element, whose octets are `whole`: a PDU, a leaf, or the elements in it. */
function decodeNode({ tag, contents }: BerElement, whole: Uint8Array, depth: number): Decoded<MmsNode> {
  if (depth >= acseDepth && initiateTags.includes(tag)) {
    const pdu = decodeMmsPdu(whole)
    return pdu.ok ? decoded({ pdu: pdu.value }) : pdu
  }
  const isConstructed = (tag & 0x20) !== 0
  if (!isConstructed) return decoded({ tag, octets: contents })
  if (depth > mostDepth)
    return faulty('presentation', { code: 'value', offset: 0, field: 'element' }, `it nests deeper than ${mostDepth}`)
  const nodes = decodeNodes(contents, depth + 1)
  return nodes.ok ? decoded({ tag, nodes: nodes.value }) : nodes
}

function decodeNodes(octets: Uint8Array, depth: number): Decoded<readonly MmsNode[]> {
  const nodes: MmsNode[] = []
  for (let rest = octets; rest.length > 0; ) {
    const reader = readOctets(rest, 'presentation')
    const element = reader.result(takeElement(reader, 'element'))
    if (!element.ok) return element
    const end = element.value.offset + element.value.contents.length
    const node = decodeNode(element.value, rest.subarray(0, end), depth)
    if (!node.ok) return node
    nodes.push(node.value)
    rest = rest.subarray(end)
  }
  return decoded(nodes)
}

/** A PDU, and the presentation context that says it is one of MMS. */
interface UserData {
  readonly context: number
  readonly pdu: MmsPdu
}

/** Encodes a PDU on an association. */
export function encodeUserData({ context, pdu }: UserData): Uint8Array {
  const value = encodeElement(0xa0, encodeMmsPdu(pdu))
  return encodeElement(0x61, encodeElement(0x30, encodeInteger(0x02, context), value))
}

/** Decodes a PDU on an association, and its context. */
export function decodeUserData(octets: Uint8Array): Decoded<UserData> {
  const outer = readOctets(octets, 'presentation')
  const userData = outer.finish(takeTagged(outer, 0x61, 'fully encoded data'))
  if (!userData.ok) return userData
  const inner = readOctets(userData.value, 'presentation')
  const pdvList = inner.finish(takeTagged(inner, 0x30, 'PDV list'))
  if (!pdvList.ok) return pdvList
  const reader = readOctets(pdvList.value, 'presentation')
  // An integer of no octets, or of more than six, reads as context 0.
  const context = fromIntegerOctets(takeTagged(reader, 0x02, 'context')) ?? 0
  const single = reader.finish(takeTagged(reader, 0xa0, 'single ASN.1 type'))
  if (!single.ok) return single
  const pdu = decodeMmsPdu(single.value)
  return pdu.ok ? decoded({ context, pdu: pdu.value }) : pdu
}
