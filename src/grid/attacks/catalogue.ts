/** Every attack that can be enabled, by type; adding one is a definition and a row here. */

import type { Telecontrol } from '../telecontrol/telecontrol.ts'
import { coordinatedOutage } from './coordinated-outage.ts'
import type { AnyAttack } from './definition.ts'
import { dnp3Control } from './dnp3-control.ts'
import { fdiStealth } from './fdi-stealth.ts'
import { gooseTripSpoof } from './goose-trip-spoof.ts'
import { iec104BreakerCmd } from './iec104-breaker-cmd.ts'
import { malformed } from './malformed.ts'
import { mmsCmdInject } from './mms-cmd-inject.ts'
import { mmsFalseData } from './mms-false-data.ts'
import { modbusCmdInject } from './modbus-cmd-inject.ts'
import { modbusRecon } from './modbus-recon.ts'
import { delay, drop, replay } from './phasor-streams.ts'
import { angleOverride, frequencyOverride, magnitudeOverride, noise, pulse, ramp, scale } from './phasor-values.ts'
import { svInject } from './sv-inject.ts'

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
  mmsCmdInject,
  mmsFalseData,
  svInject,
]

/** Tests that a network has the stations that an attack works on. */
export function fitsPlan({ needs }: Pick<AnyAttack, 'needs'>, { outstations }: Telecontrol): boolean {
  return needs === undefined || outstations.some(({ protocol }) => protocol === needs)
}

const byType: ReadonlyMap<string, AnyAttack> = new Map(attacks.map((attack) => [attack.type, attack]))

/** Finds an attack by its type in upper case; undefined for a type that does not exist. */
export function findAttack(type: string): AnyAttack | undefined {
  return byType.get(type)
}
