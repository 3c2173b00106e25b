/** The grid as pure functions: the engine of a session, protocol codecs, exports and the power flow. */

export { attacks } from './attacks/catalogue.ts'
export { readOrder } from './attacks/order.ts'
export { type Command, type Configuration, defaultConfiguration, stepUs } from './configuration.ts'
export { attackSeed, createWorld, findTelecontrol, readWorld, type StepOutput, step, type World } from './engine.ts'
export { type CaptureFrame, captureFrames } from './export/capture.ts'
export { encodeCsv } from './export/csv.ts'
export { encodeLabels } from './export/labels.ts'
export { encodePcap } from './export/pcap.ts'
export { encodePcapng } from './export/pcapng.ts'
export { readCapture } from './export/read-capture.ts'
export type { ReadFrame } from './export/read-frames.ts'
export { encodeStix } from './export/stix.ts'
export { type ImportOptions, importCase } from './import/import-case.ts'
export { writeMatpower } from './import/write-matpower.ts'
export { writePandapower } from './import/write-pandapower.ts'
export { type ArpPacket, decodeArp, encodeArp } from './link/arp.ts'
export { decodeFrame } from './link/frame.ts'
export { type CaseTables, toNetwork } from './network/case-tables.ts'
export { type CaseName, caseNames, findCase } from './network/cases/catalogue.ts'
export { solvePowerFlow } from './power-flow/power-flow.ts'
export type { PowerFlowResult } from './power-flow/result.ts'
export { type C37118Frame, decodeC37118, encodeC37118 } from './protocols/c37118.ts'
export { type Dnp3Message, decodeDnp3, encodeDnp3 } from './protocols/dnp3.ts'
export { decodeGoose, encodeGoose, type GooseMessage } from './protocols/goose.ts'
export { identifyFrame } from './protocols/identify.ts'
export { decodeIec104, encodeIec104, type Iec104Apdu } from './protocols/iec104.ts'
export { decodeMms, encodeMms, type MmsFrame } from './protocols/mms/frame.ts'
export {
  decodeModbusRequest,
  decodeModbusResponse,
  encodeModbusRequest,
  encodeModbusResponse,
  type ModbusRequest,
  type ModbusResponse,
} from './protocols/modbus.ts'
export { decodeNtp, encodeNtp, type NtpPacket } from './protocols/ntp.ts'
export { decodeSampledValues, encodeSampledValues, type SampledValuesMessage } from './protocols/sampled-values.ts'
export { showIncident } from './records/evidence.ts'
export { applyCommand } from './step/apply-command.ts'
export type { Incident, IncidentRecord, PacketRecord } from './types.ts'
