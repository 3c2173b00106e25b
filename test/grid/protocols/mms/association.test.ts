/** The frames that begin an MMS association: read as they were written, and as another stack writes them. */

import { describe, expect, it } from 'vitest'
import { decodeHex } from '#base/hex.ts'
import {
  associateRequest,
  associateResponse,
  confirmConnection,
  connectionRequest,
} from '#grid/protocols/mms/association.ts'
import { decodeMms, encodeMms, type MmsFrame } from '#grid/protocols/mms/frame.ts'
import type { MmsNode } from '#grid/protocols/mms/presentation.ts'
import { mmsAssociation } from '#test/support/mms-dialogue.ts'

/** The tags of the tree, without the abilities of the initiate, which each end states for itself. */
function shapeOf(node: MmsNode): unknown {
  if ('pdu' in node) return node.pdu.kind
  return 'nodes' in node ? [node.tag, ...node.nodes.map(shapeOf)] : [node.tag, ...node.octets]
}

function shapeIn(frame: MmsFrame): unknown {
  return 'presentation' in frame ? shapeOf(frame.presentation) : undefined
}

describe('associateRequest', () => {
  it.each([
    ['request', associateRequest],
    ['response', associateResponse],
  ] as const)('is the %s of another stack, but for the abilities', (kind, own) => {
    const other = decodeMms(decodeHex(mmsAssociation[kind]))
    if (!other.ok) throw new Error(other.fault.message)
    expect(shapeIn(own)).toEqual(shapeIn(other.value))
    expect(own).toMatchObject({ parameters: 'parameters' in other.value ? other.value.parameters : [] })
  })

  it.each([associateRequest, associateResponse, connectionRequest, confirmConnection(9)])(
    'is read as it was written (%#)',
    (frame) => {
      expect(decodeMms(encodeMms(frame))).toEqual({ ok: true, value: frame })
    },
  )
})
