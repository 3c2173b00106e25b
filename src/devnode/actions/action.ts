/** Actions: a name, typed parameters, columns, and a function over the ledger. */

import type { TypedValue } from '../../streamnet/types.ts'
import type { LedgerStore } from '../ports.ts'
import type { Profile } from '../profiles.ts'
import type { Budget } from '../queries/reader.ts'
import type { SqlType, Value, ValueOf } from './types.ts'

/** A parameter that may be left out at the end, and what it is then. */
interface OptionalParameter<T extends SqlType = SqlType> {
  readonly type: T
  readonly value: Value
}

/** Declares a parameter that may be left out. */
export function optional<const T extends SqlType>(type: T, value: ValueOf<T>): OptionalParameter<T> {
  // ValueOf of any type is a Value.
  return { type, value: value as Value }
}

/** Parameters by name, in the order of the call. */
export type ParameterShape = Readonly<Record<string, SqlType | OptionalParameter>>

/** The parameters, or columns, that name a stream. */
export const locator = { data_provider: 'TEXT', stream_id: 'TEXT' } as const
/** The parameters that name streams, side by side. */
export const locators = { data_providers: 'TEXT[]', stream_ids: 'TEXT[]' } as const

/** Arguments by the names of their parameters. */
export type ArgumentsOf<P extends ParameterShape> = {
  readonly [K in keyof P]: P[K] extends OptionalParameter<infer T>
    ? ValueOf<T>
    : P[K] extends SqlType
      ? ValueOf<P[K]>
      : never
}

/** The result of an action. */
export interface Returns {
  readonly isTable: boolean
  readonly columns: Readonly<Record<string, SqlType>>
}

/** Rows of a result, each with a value for every column. */
export type Rows = readonly (readonly Value[])[]

/** The columns of a result, and the cells of a value in them. */
export interface RowWriter<T> {
  readonly types: Readonly<Record<string, SqlType>>
  cells(value: T): readonly Value[]
}

/** Columns by name, each with its type and its reader. */
export type ColumnShape<T> = Readonly<
  Record<string, readonly [type: SqlType, read: (value: T) => Value | number | undefined]>
>

/** Declares columns; a whole number that is read is an integer, and undefined is null. */
export function columns<T>(shape: ColumnShape<T>): RowWriter<T> {
  const list = Object.entries(shape)
  return {
    types: Object.fromEntries(list.map(([name, [type]]) => [name, type])),
    cells: (value) =>
      list.map(([, [, read]]) => {
        const cell = read(value)
        return typeof cell === 'number' ? BigInt(cell) : (cell ?? null)
      }),
  }
}

/** Declares that an action gives back any number of rows. */
export function table(types: Readonly<Record<string, SqlType>>): Returns {
  return { isTable: true, columns: types }
}

/** Declares that an action gives back one row. */
export function row(types: Readonly<Record<string, SqlType>>): Returns {
  return { isTable: false, columns: types }
}

/** Everything an action may see and touch. */
export interface ActionContext {
  readonly store: LedgerStore
  readonly budget: Budget
  readonly profile: Profile
  /** The caller's address in the mixed case of EIP-55; empty for an anonymous caller. */
  readonly caller: string
  /** True when the agent of a wallet runs it as the wallet: no token then leaves the wallet but to the leader. */
  readonly isAgent: boolean
  /** 64 hex digits; empty in a view. */
  readonly txId: string
  /** Height of the block being made; in a view, of the last one. */
  readonly height: number
  /** UNIX seconds of that block. */
  readonly blockTime: number
  /** The receiver of the fees: `0x` and 40 lower-case hex digits. */
  readonly leader: string
  /** True when the node has a key to sign attestations and withdrawals with. */
  readonly hasNodeKey: boolean
  /** Runs another action for the same caller in the same block. */
  call(action: string, args: readonly TypedValue[]): Rows
  /** Adds a line to the log. */
  notice(text: string): void
  /** The next row id of this transaction: a UUID made from its hash and a counter. */
  nextRowId(): string
  /**
   * Claims the text of which the network makes a row's id, by the constraint on these ids; action_failed the second
   * time in a transaction, whose hash is a part of each id.
   */
  claimId(constraint: string, source: string): void
}

/** The callers of an action, as `info.actions` lists it. */
type Modifier = 'PUBLIC' | 'VIEW'

/** An action without its parameters' names in the type; what the ledger calls. */
export interface Action {
  readonly name: string
  readonly modifiers: readonly Modifier[]
  readonly parameters: readonly {
    readonly name: string
    readonly type: SqlType
    /** Undefined when the argument is mandatory. */
    readonly defaultValue: Value | undefined
  }[]
  readonly returns: Returns | undefined
  /** @param args - one value per parameter, each of its parameter's type. */
  run(context: ActionContext, args: readonly Value[]): Rows
}

/** Declares an action that only reads. */
export function view<const P extends ParameterShape>(
  name: string,
  parameters: P,
  returns: Returns,
  run: (context: ActionContext, args: ArgumentsOf<P>) => Rows,
): Action {
  return makeAction({ name, modifiers: ['PUBLIC', 'VIEW'], returns }, parameters, run)
}

/** Declares an action that only reads, and lists what it reads by its columns. */
export function listing<const P extends ParameterShape, T>(
  name: string,
  parameters: P,
  writer: RowWriter<T>,
  read: (context: ActionContext, args: ArgumentsOf<P>) => Iterable<T>,
): Action {
  return view(name, parameters, table(writer.types), (context, args) => Array.from(read(context, args), writer.cells))
}

/** Declares an action that changes the ledger. What it declares to return stays inside: a transaction gives a log. */
export function change<const P extends ParameterShape>(
  name: string,
  parameters: P,
  run: (context: ActionContext, args: ArgumentsOf<P>) => void,
  returns?: Returns,
): Action {
  return makeAction({ name, modifiers: ['PUBLIC'], returns }, parameters, (context, args) => {
    run(context, args)
    return []
  })
}

/** Makes an action of a function that takes its arguments by name. */
function makeAction<P extends ParameterShape>(
  action: Pick<Action, 'name' | 'modifiers' | 'returns'>,
  shape: P,
  run: (context: ActionContext, args: ArgumentsOf<P>) => Rows,
): Action {
  const names = Object.keys(shape)
  return {
    ...action,
    parameters: Object.entries(shape).map(([name, parameter]) =>
      typeof parameter === 'string'
        ? { name, type: parameter, defaultValue: undefined }
        : { name, type: parameter.type, defaultValue: parameter.value },
    ),
    run(context, args) {
      const named = Object.fromEntries(names.map((name, index) => [name, args[index] ?? null]))
      // The ledger has checked each argument against the type of its parameter before it calls.
      return run(context, named as ArgumentsOf<P>)
    },
  }
}
