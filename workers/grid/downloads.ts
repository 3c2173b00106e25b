/** Exports of a session as files. */

import { parseCapture } from '#grid/interface/capture-requests.ts'
import type { ExportKind } from '#grid/interface/exports.ts'
import { visibilityOf } from '#grid/rights.ts'
import { type Call, query, unwrap } from './call.ts'
import { parseTap } from './parameters.ts'
import { jsonText } from './problems.ts'

interface Download {
  readonly kind: ExportKind
  readonly filename: string
  readonly type: string
}

/** Answers with an export as a file. */
export async function download({ simulation, url }: Call, { kind, filename, type }: Download): Promise<Response> {
  // The parameters of a capture are ignored with a warning in other exports.
  const isOfFrames = kind.startsWith('pcap') || kind === 'labels'
  const selection = parseCapture((name) => (isOfFrames || name === 'incident' ? query(url, name) : undefined))
  const stream = unwrap(await simulation.export(kind, selection))
  // The names are our own, so they need no escaping.
  return jsonText(stream, 200, { 'content-type': type, 'content-disposition': `attachment; filename="${filename}"` })
}

/** Chooses the capture that a caller may have: one who sees the control room only gets the receivers' side. */
export function captureKind({ url, right }: Call): ExportKind {
  const asked = parseTap(query(url, 'tap'))
  return visibilityOf(right) === 'full' ? asked : 'pcap-control-room'
}
