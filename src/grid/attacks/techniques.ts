/**
 * The ATT&CK for ICS techniques that the attacks use, under their current ids (v19) and their legacy ones (v18).
 *
 * © 2026 The MITRE Corporation. This work is reproduced and distributed with the permission of The MITRE
 * Corporation (ATT&CK terms of use).
 */

import type { TechniqueRef } from '../types.ts'

const processControl = 'impair-process-control'
const responseFunction = 'inhibit-response-function'

function technique(id: string, legacy_id: string, name: string, tactic: string): TechniqueRef {
  return { id, legacy_id, name, tactic }
}

/** Techniques by a short name. */
export const techniques = {
  reportingMessage: technique('T1692.002', 'T0856', 'Unauthorized Message: Reporting Message', processControl),
  commandMessage: technique('T1692.001', 'T0855', 'Unauthorized Message: Command Message', processControl),
  blockReporting: technique(
    'T1691.002',
    'T0804',
    'Block Operational Technology Message: Reporting Message',
    responseFunction,
  ),
  adversaryInTheMiddle: technique('T0830', 'T0830', 'Adversary-in-the-Middle', 'collection'),
  manipulationOfView: technique('T0832', 'T0832', 'Manipulation of View', 'impact'),
  manipulationOfControl: technique('T0831', 'T0831', 'Manipulation of Control', 'impact'),
  denialOfView: technique('T0815', 'T0815', 'Denial of View', 'impact'),
  denialOfService: technique('T0814', 'T0814', 'Denial of Service', responseFunction),
  masquerading: technique('T0849', 'T0849', 'Masquerading', 'evasion'),
  bruteForce: technique('T0806', 'T0806', 'Brute Force I/O', processControl),
  portScan: technique('T0846.001', 'T0846', 'Remote System Discovery: Port Scan', 'discovery'),
  systemInformation: technique('T0888', 'T0888', 'Remote System Information Discovery', 'discovery'),
  pointIdentification: technique('T0861', 'T0861', 'Point & Tag Identification', 'collection'),
  rogueMaster: technique('T0848', 'T0848', 'Rogue Master', 'initial-access'),
} as const
