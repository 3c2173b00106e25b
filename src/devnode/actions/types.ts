/** Types of the network's language, and their values. */

/** The types of the network's language, as its own declarations write them. */
export type SqlType = ScalarType | `${ScalarType}[]`
type ScalarType = 'TEXT' | 'INT' | 'INT8' | 'BIGINT' | 'BOOL' | 'BOOLEAN' | 'BYTEA' | 'UUID' | NumericType
type NumericType = 'NUMERIC(36,18)' | 'NUMERIC(78,0)' | 'NUMERIC(10,2)'

/** A value that is not null: integers and numerics are bigints, numerics scaled by their type. */
export type ScalarValue = string | bigint | boolean | Uint8Array
/** A value that an action takes or gives back. */
export type Value = ScalarValue | null | readonly (ScalarValue | null)[]

interface ScalarOf {
  TEXT: string
  UUID: string
  INT: bigint
  INT8: bigint
  BIGINT: bigint
  BOOL: boolean
  BOOLEAN: boolean
  BYTEA: Uint8Array
  'NUMERIC(36,18)': bigint
  'NUMERIC(78,0)': bigint
  'NUMERIC(10,2)': bigint
}

/** The value of a type, null included. */
export type ValueOf<T extends SqlType> =
  | null
  | (T extends keyof ScalarOf
      ? ScalarOf[T]
      : T extends `${infer S extends ScalarType}[]`
        ? readonly (ScalarOf[S] | null)[]
        : never)
