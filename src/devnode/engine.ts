/** Runs actions: finds them, checks their arguments, and writes their rows by the types of their columns. */

import { formatDecimal, formatScientific, quantizeDecimal } from '../base/decimal.ts'
import { messageOf } from '../base/errors.ts'
import { memo } from '../base/memo.ts'
import { dataType } from '../streamnet/codec/value.ts'
import { columnTypeOf, encodeCell } from '../streamnet/rpc/cell.ts'
import type { QueryResultJson } from '../streamnet/rpc/methods.ts'
import type { ActionCall, DataType, Scalar, TypedValue } from '../streamnet/types.ts'
import { absentActions, privateActions } from './actions/absent.ts'
import type { Action, ActionContext, Rows } from './actions/action.ts'
import { bridgeMethods } from './actions/bridge-methods.ts'
import { actions } from './actions/catalogue.ts'
import { isSameType, type ScalarValue, typeText, type Value, wireType } from './actions/types.ts'
import { DevnodeError, engineError, writerError } from './errors.ts'

/** The namespace of the network's actions; an empty name means it. */
export const mainNamespace = 'main'

/** True where nothing may be changed, as in a view call. */
type CallMode = Readonly<Record<'isReadOnly', boolean>>

interface Invoked {
  readonly action: Action
  readonly rows: Rows
}

/**
 * Calls an action. Throws as the action does, engine_failed when the engine refuses the call before the action runs,
 * and namespace_missing when the namespace is another.
 */
export function invoke(context: ActionContext, call: ActionCall, { isReadOnly }: CallMode): Invoked {
  const action = findAction(context, call, { isReadOnly })
  const [most, count] = [action.parameters.length, call.args.length]
  if (count > most) {
    throw engineError(
      `action invocation error: action "${action.name}" expected at most ${most} arguments, but got ${count}`,
    )
  }
  const given = call.args.map((arg, index) => coerce(action, index, arg))
  if (isReadOnly && !action.modifiers.includes('VIEW')) throw writerError(action.name)
  const args = action.parameters.map((parameter, index) => {
    const value = index < given.length ? given[index] : parameter.defaultValue
    if (value !== undefined) return value
    throw engineError(`missing required argument ${index + 1} ($${parameter.name})`)
  })
  return { action, rows: action.run(context, args) }
}

/** The rows of an action as the JSON of a result; without rows there are no names either, as on the network. */
export function toQueryResult({ action, rows }: Invoked): QueryResultJson {
  if (rows.length === 0) return { column_names: null, column_types: null, values: null }
  const { names, types, writers } = columnsOf(action)
  return {
    column_names: names,
    column_types: types,
    values: rows.map((row) => row.map((cell, index) => (writers[index] ?? encodeCell)(cell))),
  }
}

/** The columns of an action, made once: reading their types takes as long as a short read. */
const columnsOf = memo((action: Action) => {
  const columns = Object.entries(action.returns?.columns ?? {})
  const types = columns.map(([, type]) => wireType(type))
  return { names: columns.map(([name]) => name), types: types.map(columnTypeOf), writers: types.map(cellWriter) }
})

/** The types of an action's parameters, made once. */
const parameterTypesOf = memo((action: Action) => action.parameters.map(({ type }) => wireType(type)))

function findAction({ profile }: ActionContext, { namespace, action }: ActionCall, { isReadOnly }: CallMode): Action {
  const space = namespace === '' ? mainNamespace : namespace.toLowerCase()
  const methods = bridgeMethods.get(space)
  if (space !== mainNamespace && methods === undefined) {
    const code = profile.answers === 'current' ? 'engine_failed' : 'namespace_missing'
    throw new DevnodeError(code, `namespace "${space}" does not exist`)
  }
  const name = action.toLowerCase()
  const found = (methods ?? actions).get(name)
  if (found !== undefined) return found
  const kind = methods === undefined ? privateActions.get(name) : undefined
  if (kind === 'writes' && isReadOnly) throw writerError(name)
  if (kind !== undefined) throw engineError(`action is private: action ${name} is private`)
  const reason = absentActions.get(name)
  const absence = reason === undefined ? '' : `: the development node ${reason}`
  throw engineError(`unknown action: action "${name.slice(0, 128)}" does not exist in namespace "${space}"${absence}`)
}

/** A null fits every parameter; anything else must have its type, numerics their precision and scale too. */
function coerce(action: Action, index: number, { type: given, value }: TypedValue): Value {
  const expected = parameterTypesOf(action)[index] ?? wireType('TEXT')
  if (value === null) return null
  const type = withoutDigits(given, value)
  const isUntypedList = type.name === 'null' && type.isArray && expected.isArray
  if (!isUntypedList && !isSameType(type, expected)) {
    throw engineError(
      `type error: action "${action.name}" expected argument ${index + 1} to be of type ${typeText(expected)}, but got ${typeText(type)}`,
    )
  }
  // The list type of isArray says it: an array's value is a list, any other's is not.
  if (expected.isArray) return (value as readonly Scalar[]).map((one) => toValue(one, expected))
  return toValue(value as Scalar, expected)
}

/** The network's engine takes the digits of a list of numerics from its elements; nulls have none. */
function withoutDigits(type: DataType, value: TypedValue['value']): DataType {
  const isBare = Array.isArray(value) && value.length > 0 && value.every((one) => one === null)
  return type.name === 'numeric' && isBare ? dataType('numeric', type.isArray, 0, 0) : type
}

function toValue(value: Scalar, type: DataType): ScalarValue | null {
  if (value === null || type.name !== 'numeric' || typeof value !== 'string') return value
  try {
    return quantizeDecimal(value, type.precision, type.scale)
  } catch (cause) {
    throw new DevnodeError('invalid_payload', `failed to decode argument: ${messageOf(cause)}`, { cause })
  }
}

/** Makes the writer of a column's cells: numerics by their scale, everything else as it is. */
function cellWriter({ name, isArray, scale }: DataType): (cell: Value) => unknown {
  if (name !== 'numeric' || isArray) return encodeCell
  const write = scale === 0 ? formatDecimal : formatScientific
  return (cell) => (typeof cell === 'bigint' ? write(cell, scale) : encodeCell(cell))
}
