/** WSCC 3-machine 9-bus (Chow / Schulz et al.), as tables.
 *
 * Network data are facts of the public test-case archives as carried by the MATPOWER case file case9.m.
 * Ratings: the archive's (1.5 times the base flow or 0.8 times the worst single-outage flow,
 * rounded up to 5 MVA). Secure pick-ups: 1.25 times the rating or 1.1 times the worst single-outage flow.
 * Dynamic data: Sauer and Pai, Anderson and Fouad (verified in a public dynamic data set); machine MVA =
 * Pmax.
 */

import type { CaseTables } from '../case-tables.ts'

/** WSCC 3-machine 9-bus (Chow / Schulz et al.). Rows as `CaseTables` names them. */
export const case9: CaseTables = {
  name: 'case9',
  title: 'WSCC 3-machine 9-bus (Chow / Schulz et al.)',
  baseMva: 100,
  f0Hz: 60,
  slackBus: 1,
  slackAngleDeg: 0,
  buses: [
    [1, 0, 0, 0, 0, 1, 345, 1.1, 0.9, 500, 560],
    [2, 0, 0, 0, 0, 1, 345, 1.1, 0.9, 920, 160],
    [3, 0, 0, 0, 0, 1, 345, 1.1, 0.9, 80, 160],
    [4, 0, 0, 0, 0, 1, 345, 1.1, 0.9, 500, 430],
    [5, 90, 30, 0, 0, 1, 345, 1.1, 0.9, 260, 330],
    [6, 0, 0, 0, 0, 1, 345, 1.1, 0.9, 240, 160],
    [7, 100, 35, 0, 0, 1, 345, 1.1, 0.9, 500, 120],
    [8, 0, 0, 0, 0, 1, 345, 1.1, 0.9, 760, 160],
    [9, 125, 50, 0, 0, 1, 345, 1.1, 0.9, 740, 330],
  ],
  generators: [
    [1, 72.3, 1.04, 300, -300, 250, 10, 250, 23.64, 0.11, 5, 150],
    [2, 163, 1.025, 300, -300, 300, 10, 300, 6.4, 0.085, 1.2, 600],
    [3, 85, 1.025, 300, -300, 270, 10, 270, 3.01, 0.1225, 1, 335],
  ],
  branches: [
    [1, 4, 0, 0.0576, 0, 0, 0, 250, 312.5, 312.5],
    [4, 5, 0.017, 0.092, 0.158, 0, 0, 250, 312.5, 312.5],
    [5, 6, 0.039, 0.17, 0.358, 0, 0, 150, 187.5, 187.5],
    [3, 6, 0, 0.0586, 0, 0, 0, 300, 375, 375],
    [6, 7, 0.0119, 0.1008, 0.209, 0, 0, 150, 187.5, 187.5],
    [7, 8, 0.0085, 0.072, 0.149, 0, 0, 250, 312.5, 312.5],
    [8, 2, 0, 0.0625, 0, 0, 0, 250, 312.5, 312.5],
    [8, 9, 0.032, 0.161, 0.306, 0, 0, 250, 312.5, 312.5],
    [9, 4, 0.01, 0.085, 0.176, 0, 0, 250, 312.5, 312.5],
  ],
  pmuBuses: [4, 6, 8],
}
