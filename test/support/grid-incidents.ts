/** Incidents as the simulation makes them, one of each kind, for tests of the exports. */

import type { Incident, TechniqueRef } from '#grid/types.ts'

const command: TechniqueRef = {
  id: 'T1692.001',
  legacy_id: 'T0855',
  name: 'Unauthorized Message: Command Message',
  tactic: 'impair-process-control',
}
const reporting: TechniqueRef = {
  id: 'T1692.002',
  legacy_id: 'T0856',
  name: 'Unauthorized Message: Reporting Message',
  tactic: 'impair-process-control',
}

/** Makes one incident, `second` seconds into 2026-11-20T16:00Z. */
export function incidentAt(second: number, changes: Partial<Incident> = {}): Incident {
  const timestamp = 1_795_190_400 + second + 0.123456
  return {
    id: second.toString(16).padStart(8, '0'),
    timestamp,
    timestamp_iso: `${new Date(Math.floor(timestamp * 1000)).toISOString().slice(0, -1)}456+00:00`,
    protocol: 'C37.118',
    src_ip: '10.20.3.2',
    dst_ip: '10.20.1.20',
    src_port: 4713,
    dst_port: 4713,
    attack_type: 'NONE',
    status: 'clean',
    severity: 'INFO',
    description: 'C37.118 clean packet',
    frame_no: second + 1,
    ...changes,
  }
}

/** Attacked incidents of every shape: over IP, over Ethernet, without a technique, without an address. */
export const attackedIncidents: readonly Incident[] = [
  incidentAt(1, {
    attack_type: 'NOISE',
    status: 'attacked',
    severity: 'HIGH',
    description: 'Noise with standard deviation 1',
    technique: reporting,
    attack_id: 'NOISE-1',
    original_val: { kind: 'data', pmus: [{ frequencyHz: 60, phasors: [] }], raw_hex: 'aa01' },
    modified_val: { kind: 'data', pmus: [{ frequencyHz: 60.1, phasors: [] }], raw_hex: 'aa01' },
  }),
  incidentAt(2, { ...ends('10.20.9.66', '10.20.2.13', 50_000, 2404), ...attack('IEC104_BREAKER_CMD', 'IEC104') }),
  incidentAt(3, { ...ends('10.20.9.66', '10.20.2.14', 50_001, 2404), ...attack('IEC104_BREAKER_CMD', 'IEC104') }),
  incidentAt(4, { ...ends('10.20.9.67', '10.20.2.12', 50_002, 20_000), ...attack('DNP3_CONTROL', 'DNP3') }),
  {
    ...without(incidentAt(5, attack('GOOSE_TRIP_SPOOF', 'GOOSE'))),
    src_ip: '02:66:66:66:66:66',
    dst_ip: '01:0c:cd:01:00:01',
  },
  { ...without(incidentAt(6, { status: 'attacked', attack_type: 'LAB_TEST', protocol: 'S7' })), src_ip: 'plc-1' },
  incidentAt(7, {
    attack_type: 'NOISE',
    status: 'attacked',
    src_ip: '10.20.3.6',
    technique: reporting,
    description: '',
  }),
]

function attack(attack_type: string, protocol: string): Partial<Incident> {
  return { attack_type, protocol, status: 'attacked', severity: 'HIGH', technique: command, description: attack_type }
}

function ends(src_ip: string, dst_ip: string, src_port: number, dst_port: number): Partial<Incident> {
  return { src_ip, dst_ip, src_port, dst_port }
}

/** The incident without addresses and ports. */
function without(incident: Incident): Incident {
  const { src_ip, dst_ip, src_port, dst_port, ...rest } = incident
  return rest
}
