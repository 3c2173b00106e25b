/** Every attack that can be enabled, by type; adding one is one file and one row here. */

import { angleOverride } from './angle-override.ts'
import { coordinatedOutage } from './coordinated-outage.ts'
import type { AnyAttack } from './definition.ts'
import { delay } from './delay.ts'
import { dnp3Control } from './dnp3-control.ts'
import { drop } from './drop.ts'
import { fdiStealth } from './fdi-stealth.ts'
import { frequencyOverride } from './frequency-override.ts'
import { gooseTripSpoof } from './goose-trip-spoof.ts'
import { iec104BreakerCmd } from './iec104-breaker-cmd.ts'
import { magnitudeOverride } from './magnitude-override.ts'
import { malformed } from './malformed.ts'
import { modbusCmdInject } from './modbus-cmd-inject.ts'
import { noise } from './noise.ts'
import { pulse } from './pulse.ts'
import { ramp } from './ramp.ts'
import { replay } from './replay.ts'
import { scale } from './scale.ts'

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
]

const byType: ReadonlyMap<string, AnyAttack> = new Map(attacks.map((attack) => [attack.type, attack]))

/** Finds an attack by its type in upper case; undefined for a type that does not exist. */
export function findAttack(type: string): AnyAttack | undefined {
  return byType.get(type)
}
