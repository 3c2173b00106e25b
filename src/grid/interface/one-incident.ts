/** One incident of a session, for an export of it: the incident itself, and the frames around it. */

import { listRing } from '../../base/ring.ts'
import { GridError } from '../errors.ts'
import type { Records } from '../records/records.ts'
import type { IncidentRecord, PacketRecord } from '../types.ts'
import { showName } from './body-mistakes.ts'

/** Microseconds before and after an incident that its capture covers. */
export const reachUs = 2_000_000

/**
 * Finds an incident by its id.
 *
 * @throws GridError not_found when none is retained under it.
 */
export function findIncident({ incidents }: Records, id: string): IncidentRecord {
  const found = listRing(incidents).findLast((incident) => incident.id === id)
  if (found !== undefined) return found
  throw new GridError('not_found', `Cannot export incident "${showName(id)}": it is not retained`, {
    hint: 'GET /api/v1/incidents?limit=0 lists every incident that is; a new session begins with none',
  })
}

/**
 * Keeps the frames of every link from `reachUs` before an incident to `reachUs` after it.
 *
 * @throws GridError capture_unavailable when none of that time is retained.
 */
export function framesAround(frames: readonly PacketRecord[], incident: IncidentRecord): readonly PacketRecord[] {
  const own = frames.find(({ frameNo }) => frameNo === incident.frame_no)
  const middle = own?.timeUs ?? Math.round(incident.timestamp * 1e6)
  const around = frames.filter(({ timeUs }) => Math.abs(timeUs - middle) <= reachUs)
  if (around.length > 0) return around
  const id = showName(incident.id)
  throw new GridError('capture_unavailable', `Cannot export frames around incident "${id}": none is retained`, {
    hint: 'A capture holds the newest frames only; ask sooner after the incident',
  })
}
