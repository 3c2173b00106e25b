/** Modbus protocol data units: the functions that telecontrol uses, their exceptions and their limits. */

/** Function codes (Modbus Application Protocol V1.1b3 section 6). */
export const modbusFunction = {
  read_coils: 1,
  read_discrete_inputs: 2,
  read_holding_registers: 3,
  read_input_registers: 4,
  write_single_coil: 5,
  write_single_register: 6,
  diagnostics: 8,
  write_multiple_coils: 15,
  write_multiple_registers: 16,
  report_server_id: 17,
  read_device_identification: 43,
} as const

/** The name of a function. */
export type ModbusFunction = keyof typeof modbusFunction

/** Exception codes (section 7). */
export const modbusException = {
  illegal_function: 1,
  illegal_data_address: 2,
  illegal_data_value: 3,
  server_device_failure: 4,
  acknowledge: 5,
  server_device_busy: 6,
} as const

/** Most items that one message may carry (sections 6.1 to 6.12). */
export const modbusLimit = {
  readBits: 2000,
  readRegisters: 125,
  writeBits: 1968,
  writeRegisters: 123,
} as const

/** A request of a client. Addresses count from 0; registers are 16 bits without sign. */
export type ModbusRequestPdu =
  | {
      readonly kind: 'read_coils' | 'read_discrete_inputs'
      readonly address: number
      readonly quantity: number
    }
  | {
      readonly kind: 'read_holding_registers' | 'read_input_registers'
      readonly address: number
      readonly quantity: number
    }
  | { readonly kind: 'write_single_coil'; readonly address: number; readonly value: boolean }
  | { readonly kind: 'write_single_register'; readonly address: number; readonly value: number }
  | { readonly kind: 'diagnostics'; readonly subfunction: number; readonly data: number }
  | { readonly kind: 'write_multiple_coils'; readonly address: number; readonly values: readonly boolean[] }
  | {
      readonly kind: 'write_multiple_registers'
      readonly address: number
      readonly values: readonly number[]
    }
  | { readonly kind: 'report_server_id' }
  | { readonly kind: 'read_device_identification'; readonly readCode: number; readonly objectId: number }

/** One object of a device identification: 0 vendor, 1 product code, 2 revision, and so on. */
export interface ModbusDeviceObject {
  readonly id: number
  readonly value: Uint8Array
}

/** An answer of a server. Bits come in whole octets: a decoded list is padded with false to a multiple of 8. */
export type ModbusResponsePdu =
  | { readonly kind: 'read_coils' | 'read_discrete_inputs'; readonly values: readonly boolean[] }
  | { readonly kind: 'read_holding_registers' | 'read_input_registers'; readonly values: readonly number[] }
  | { readonly kind: 'write_single_coil'; readonly address: number; readonly value: boolean }
  | { readonly kind: 'write_single_register'; readonly address: number; readonly value: number }
  | { readonly kind: 'diagnostics'; readonly subfunction: number; readonly data: number }
  | {
      readonly kind: 'write_multiple_coils' | 'write_multiple_registers'
      readonly address: number
      readonly quantity: number
    }
  | { readonly kind: 'report_server_id'; readonly serverId: Uint8Array; readonly isRunning: boolean }
  | {
      readonly kind: 'read_device_identification'
      readonly readCode: number
      readonly conformity: number
      /** True when more objects follow from `nextObjectId`. */
      readonly moreFollows: boolean
      readonly nextObjectId: number
      readonly objects: readonly ModbusDeviceObject[]
    }
  | { readonly kind: 'exception'; readonly functionCode: number; readonly exceptionCode: number }

/** The three messages whose response repeats the request. */
export type ModbusEchoPdu = Extract<
  ModbusRequestPdu,
  { kind: 'write_single_coil' | 'write_single_register' | 'diagnostics' }
>
