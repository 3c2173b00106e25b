/** The application protocols of the simulated network, one row each: its ports, its decoder, its name in STIX. */

import type { Decoded } from '../link/octet-reader.ts'
import { c37118Port, decodeC37118 } from './c37118.ts'
import type { C37118Configuration } from './c37118-configuration.ts'
import { decodeDnp3, dnp3Port } from './dnp3.ts'
import { decodeGoose } from './goose.ts'
import { decodeIec104, iec104Port } from './iec104.ts'
import { decodeMms, mmsPort } from './mms/frame.ts'
import { decodeModbusRequest, decodeModbusResponse, modbusPort } from './modbus.ts'
import { decodeSampledValues } from './sampled-values.ts'

/** The facts of a protocol that engine, exports and frame reader need. */
export interface Protocol {
  /** Well-known ports of its server, by carrier; empty for a protocol directly on Ethernet. */
  readonly ports: { readonly tcp?: number; readonly udp?: number }
  /** The name of its layer in STIX network traffic. */
  readonly stixName: string
  /** Decodes one message of a client (`isRequest`) or server; data of C37.118 need their configuration. */
  readonly decode: (
    octets: Uint8Array,
    isRequest: boolean,
    configuration: C37118Configuration | undefined,
  ) => Decoded<unknown>
}

/** Every protocol by the name that records give it. */
export const protocols = {
  'C37.118': {
    ports: c37118Port,
    stixName: 'synphasor',
    decode: (octets, _, configuration) => decodeC37118(octets, configuration),
  },
  // DNP3 over UDP only occurs in captures of other simulators.
  DNP3: { ports: { tcp: dnp3Port, udp: dnp3Port }, stixName: 'dnp3', decode: (octets) => decodeDnp3(octets) },
  GOOSE: { ports: {}, stixName: 'goose', decode: (octets) => decodeGoose(octets) },
  IEC104: { ports: { tcp: iec104Port }, stixName: 'iec104', decode: (octets) => decodeIec104(octets) },
  MMS: { ports: { tcp: mmsPort }, stixName: 'mms', decode: (octets) => decodeMms(octets) },
  Modbus: {
    ports: { tcp: modbusPort },
    stixName: 'modbus',
    decode: (octets, isRequest) => (isRequest ? decodeModbusRequest(octets) : decodeModbusResponse(octets)),
  },
  SV: { ports: {}, stixName: 'sv', decode: (octets) => decodeSampledValues(octets) },
} as const satisfies Record<string, Protocol>

/** Name of a protocol in messages and records. */
export type MessageProtocol = keyof typeof protocols

/** The names of all protocols, in alphabetical order. */
export const protocolNames = Object.keys(protocols) as readonly MessageProtocol[] // the keys of the table
