/** The stations that masters from outside may connect to, and the names of their connections. */

import type { Telecontrol } from '../telecontrol/telecontrol.ts'
import type { FieldStation } from './messages.ts'

/** The first port of phasor units, behind those of outstations. */
const phasorOffset = 500

/** Lists the stations that masters may connect to: outstations in the order of their buses, then phasor units. */
export function listFieldStations({ outstations, pmus }: Telecontrol): readonly FieldStation[] {
  return [
    ...outstations.map(({ node, protocol, address, bus }) => ({ node, protocol, address, offset: bus })),
    ...pmus.map(({ node, idCode }) => ({
      node,
      protocol: 'C37.118' as const,
      address: idCode,
      offset: phasorOffset + idCode,
    })),
  ]
}

/** The identifier of a connection from outside. */
export function fieldConnectionId(connection: number): string {
  return `field#${connection}`
}
