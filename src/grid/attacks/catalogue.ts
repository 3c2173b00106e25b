/** Every attack that can be enabled, by type; adding one is a definition and a row here. */

import { coordinatedOutage } from './coordinated-outage.ts'
import type { AnyAttack } from './definition.ts'
import { dnp3Control } from './dnp3-control.ts'
import { fdiStealth } from './fdi-stealth.ts'
import { gooseTripSpoof } from './goose-trip-spoof.ts'
import { iec104BreakerCmd } from './iec104-breaker-cmd.ts'
import { malformed } from './malformed.ts'
import { modbusCmdInject } from './modbus-cmd-inject.ts'
import { modbusRecon } from './modbus-recon.ts'
import { delay, drop, replay } from './phasor-streams.ts'
import { angleOverride, frequencyOverride, magnitudeOverride, noise, pulse, ramp, scale } from './phasor-values.ts'

/** The ten types of the interface's origin, then the ones that know the grid. */
export const attacks: readonly AnyAttack[] = [
  noise,
  ramp,
  pulse,
  frequencyOverride,
  magnitudeOverride,
  angleOverride,
  replay,
  delay,
  drop,
  scale,
  fdiStealth,
  gooseTripSpoof,
  modbusCmdInject,
  dnp3Control,
  iec104BreakerCmd,
  malformed,
  coordinatedOutage,
  modbusRecon,
]

const byType: ReadonlyMap<string, AnyAttack> = new Map(attacks.map((attack) => [attack.type, attack]))

/** Finds an attack by its type in upper case; undefined for a type that does not exist. */
export function findAttack(type: string): AnyAttack | undefined {
  return byType.get(type)
}
