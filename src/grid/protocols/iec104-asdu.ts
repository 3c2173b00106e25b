/** The application data of IEC 60870-5-104: types, causes and information objects (IEC 60870-5-101 clause 7). */

import type { Cp56Time } from './iec104-time.ts'

/** Type identifications (IEC 60870-5-101 clause 7.2.1). */
export const iec104Type = {
  M_SP_NA_1: 1,
  M_DP_NA_1: 3,
  M_ME_NC_1: 13,
  M_SP_TB_1: 30,
  M_DP_TB_1: 31,
  M_ME_TF_1: 36,
  C_SC_NA_1: 45,
  C_DC_NA_1: 46,
  C_SE_NC_1: 50,
  C_IC_NA_1: 100,
  C_CS_NA_1: 103,
} as const

/** Causes of transmission (clause 7.2.3). */
export const iec104Cause = {
  periodic: 1,
  spontaneous: 3,
  request: 5,
  activation: 6,
  activationConfirmation: 7,
  deactivation: 8,
  deactivationConfirmation: 9,
  activationTermination: 10,
  interrogatedByStation: 20,
  unknownType: 44,
  unknownCause: 45,
  unknownCommonAddress: 46,
  unknownObjectAddress: 47,
} as const

/** A double point as its two bits say: 0 intermediate, 1 off, 2 on, 3 indeterminate. */
export type DoublePoint = 0 | 1 | 2 | 3

/** Information objects by type; `address` is the information object address, 0 to 16777215. */
export type Iec104Objects =
  | {
      readonly type: 'M_SP_NA_1'
      readonly objects: readonly {
        readonly address: number
        readonly isOn: boolean
        readonly quality: number
      }[]
    }
  | {
      readonly type: 'M_SP_TB_1'
      readonly objects: readonly {
        readonly address: number
        readonly isOn: boolean
        readonly quality: number
        readonly time: Cp56Time
      }[]
    }
  | {
      readonly type: 'M_DP_NA_1'
      readonly objects: readonly {
        readonly address: number
        readonly state: DoublePoint
        readonly quality: number
      }[]
    }
  | {
      readonly type: 'M_DP_TB_1'
      readonly objects: readonly {
        readonly address: number
        readonly state: DoublePoint
        readonly quality: number
        readonly time: Cp56Time
      }[]
    }
  | {
      readonly type: 'M_ME_NC_1'
      readonly objects: readonly {
        readonly address: number
        readonly value: number
        readonly quality: number
      }[]
    }
  | {
      readonly type: 'M_ME_TF_1'
      readonly objects: readonly {
        readonly address: number
        readonly value: number
        readonly quality: number
        readonly time: Cp56Time
      }[]
    }
  /** `qualifier`: 0 none, 1 short pulse, 2 long pulse, 3 persistent. */
  | {
      readonly type: 'C_SC_NA_1'
      readonly objects: readonly {
        readonly address: number
        readonly isOn: boolean
        readonly select: boolean
        readonly qualifier: number
      }[]
    }
  | {
      readonly type: 'C_DC_NA_1'
      readonly objects: readonly {
        readonly address: number
        readonly state: DoublePoint
        readonly select: boolean
        readonly qualifier: number
      }[]
    }
  | {
      readonly type: 'C_SE_NC_1'
      readonly objects: readonly {
        readonly address: number
        readonly value: number
        readonly select: boolean
        readonly qualifier: number
      }[]
    }
  /** `qualifier`: 20 asks the whole station. */
  | {
      readonly type: 'C_IC_NA_1'
      readonly objects: readonly { readonly address: number; readonly qualifier: number }[]
    }
  | {
      readonly type: 'C_CS_NA_1'
      readonly objects: readonly { readonly address: number; readonly time: Cp56Time }[]
    }

/** The name of a type. */
export type Iec104TypeName = keyof typeof iec104Type

/** One application service data unit. */
export type Iec104Asdu = Iec104Objects & {
  /** True when one address is sent and the others follow from it (SQ). */
  readonly isSequence: boolean
  readonly cause: number
  /** True when the cause is a refusal (P/N). */
  readonly isNegative: boolean
  readonly isTest: boolean
  readonly originator: number
  readonly commonAddress: number
}
