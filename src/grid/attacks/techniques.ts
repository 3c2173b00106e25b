/**
 * The ATT&CK for ICS techniques that the attacks use, under their current ids (v19) and their legacy ones (v18).
 *
 * © 2026 The MITRE Corporation. This work is reproduced and distributed with the permission of The MITRE
 * Corporation (ATT&CK terms of use).
 */

import type { TechniqueRef } from '../types.ts'

/** Techniques by a short name. */
export const techniques = {
  reportingMessage: {
    id: 'T1692.002',
    legacy_id: 'T0856',
    name: 'Unauthorized Message: Reporting Message',
    tactic: 'impair-process-control',
  },
  commandMessage: {
    id: 'T1692.001',
    legacy_id: 'T0855',
    name: 'Unauthorized Message: Command Message',
    tactic: 'impair-process-control',
  },
  blockReporting: {
    id: 'T1691.002',
    legacy_id: 'T0804',
    name: 'Block Operational Technology Message: Reporting Message',
    tactic: 'inhibit-response-function',
  },
  adversaryInTheMiddle: {
    id: 'T0830',
    legacy_id: 'T0830',
    name: 'Adversary-in-the-Middle',
    tactic: 'collection',
  },
  manipulationOfView: {
    id: 'T0832',
    legacy_id: 'T0832',
    name: 'Manipulation of View',
    tactic: 'impact',
  },
  manipulationOfControl: {
    id: 'T0831',
    legacy_id: 'T0831',
    name: 'Manipulation of Control',
    tactic: 'impact',
  },
  denialOfView: { id: 'T0815', legacy_id: 'T0815', name: 'Denial of View', tactic: 'impact' },
  denialOfService: {
    id: 'T0814',
    legacy_id: 'T0814',
    name: 'Denial of Service',
    tactic: 'inhibit-response-function',
  },
  masquerading: { id: 'T0849', legacy_id: 'T0849', name: 'Masquerading', tactic: 'evasion' },
  bruteForce: {
    id: 'T0806',
    legacy_id: 'T0806',
    name: 'Brute Force I/O',
    tactic: 'impair-process-control',
  },
  portScan: {
    id: 'T0846.001',
    legacy_id: 'T0846',
    name: 'Remote System Discovery: Port Scan',
    tactic: 'discovery',
  },
  systemInformation: {
    id: 'T0888',
    legacy_id: 'T0888',
    name: 'Remote System Information Discovery',
    tactic: 'discovery',
  },
  pointIdentification: {
    id: 'T0861',
    legacy_id: 'T0861',
    name: 'Point & Tag Identification',
    tactic: 'collection',
  },
  rogueMaster: { id: 'T0848', legacy_id: 'T0848', name: 'Rogue Master', tactic: 'initial-access' },
} as const satisfies Record<string, TechniqueRef>
