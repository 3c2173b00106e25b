/** Compares the answers of a run with the recorded ones, without what the network leaves open. */

import type { Table } from './play.ts'
import type { Argument, Openness, Shapes, Step } from './scenario.ts'

/** A recorded answer that the node does not give. */
export interface Difference {
  /** Number of the step in its scenario. */
  readonly index: number
  readonly action: string
  readonly given: unknown
  readonly expected: unknown
}

/** Tells whether a step has an answer that counts. */
export function isCompared([kind, , , , , open]: Step): boolean {
  return kind !== 'w' && open !== 'skip'
}

/**
 * Finds the steps whose answers differ.
 *
 * @param answers - one for each step, as an `AnswerWriter` wrote it.
 */
export function findDifferences(
  steps: readonly Step[],
  answers: readonly unknown[],
  shapes: Shapes,
): readonly Difference[] {
  const seriesOf = createSeries(steps)
  const [sinceGiven, sinceExpected] = [createCounter(seriesOf), createCounter(seriesOf)]
  return steps.flatMap((step, index) => {
    if (!isCompared(step)) return []
    const [, , action, , answer, open] = step
    const given = withoutOpen(sinceGiven(answers[index], step), open)
    const expected = withoutOpen(sinceExpected(withColumns(answer, shapes), step), open)
    return JSON.stringify(given) === JSON.stringify(expected) ? [] : [{ index, action: action ?? '', given, expected }]
  })
}

/** A recorded answer with its columns in the place of their number. */
function withColumns(answer: unknown, shapes: Shapes): unknown {
  // The form is that of the format: a table names its shape and has rows.
  const {
    s = 0,
    rows,
    logs,
  } = (answer ?? {}) as { readonly s?: number; readonly rows?: readonly unknown[]; readonly logs?: string }
  if (rows === undefined) return answer
  const [columns, types] = shapes[s] ?? []
  return { columns, types, rows, logs: logs ?? '' }
}

function withoutOpen(answer: unknown, open: Openness | undefined): unknown {
  if (!isTable(answer)) return answer
  const { rows, columns } = answer
  if (open === 'set') return { ...answer, rows: rows.map((row) => JSON.stringify(row)).sort() }
  if (open === 'own') return { ...answer, rows: rows.filter((row) => String(row[0]).startsWith('$m')) }
  if (open === 'shared') {
    const isShared = (at: number) => running.validate_market_collateral?.includes(columns[at] ?? '')
    return { ...answer, rows: rows.map((row) => row.map((cell, at) => (isShared(at) ? null : cell))) }
  }
  return open === 'nolog' ? { ...answer, logs: '' } : answer
}

function isTable(answer: unknown): answer is Table {
  return typeof answer === 'object' && answer !== null && 'rows' in answer
}

/**
 * Columns that count all that a node has: the recorded node had other markets and events before. They are compared by
 * what they have changed since the first answer of the same series.
 */
const running: Readonly<Record<string, readonly string[]>> = {
  validate_market_collateral: ['vault_balance', 'expected_collateral'],
}

/** Columns that are numbered for the whole node: they are compared by the order in which each was first seen. */
const numbered: Readonly<Record<string, string>> = { get_order_events_by_wallet: 'id', maa_get_events: 'id' }

type Series = (step: Step) => string

/** Collateral is one series for each bridge, on which the markets of a step were made. */
function createSeries(steps: readonly Step[]): Series {
  const bridges = steps.map(([kind, , , args]) => {
    const first = kind === 'x' ? args[0] : undefined
    return Array.isArray(first) ? String(first[0]) : ''
  })
  return ([, , action, args]) => {
    if (action !== 'validate_market_collateral') return ''
    const [market] = args as readonly Argument[]
    return bridges[marketStep(market)] ?? 'undefined'
  }
}

/** The step that made a market; -1 for an argument that names none. */
function marketStep(argument: Argument | undefined): number {
  return typeof argument === 'object' && argument !== null && 'm' in argument ? Number(argument.m) : -1
}

/** Writes running columns as differences; it reads all answers of a run in order. */
function createCounter(seriesOf: Series): (answer: unknown, step: Step) => unknown {
  const firsts = new Map<string, bigint>()
  const seen = new Map<string, number>()
  return (answer, step) => {
    if (!isTable(answer)) return answer
    const action = step[2] ?? ''
    const column = answer.columns.indexOf(numbered[action] ?? '')
    if (column >= 0) return numberRows(answer, action, column, seen)
    const names = running[action]
    if (names === undefined) return answer
    const rows = answer.rows.map((row) =>
      row.map((cell, at) => {
        const column = answer.columns[at] ?? ''
        if (!names.includes(column) || typeof cell !== 'string') return cell
        const key = `${column} ${seriesOf(step)}`
        const first = firsts.get(key) ?? BigInt(cell)
        firsts.set(key, first)
        return `+${BigInt(cell) - first}`
      }),
    )
    return { ...answer, rows }
  }
}

function numberRows(answer: Table, action: string, column: number, seen: Map<string, number>): Table {
  const rows = answer.rows.map((row) =>
    row.map((cell, at) => {
      if (at !== column) return cell
      const key = `${action} ${cell}`
      seen.set(key, seen.get(key) ?? seen.size)
      return seen.get(key)
    }),
  )
  return { ...answer, rows }
}
