/** A table that a click on a head sorts, that draws only the rows that are seen, and that is saved as CSV. */

import type { ComponentChildren, JSX, TargetedFocusEvent } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { counted } from '#base/naming.ts'
import { Button } from './components.tsx'
import { downloadText, writeCsv } from './export.ts'
import { formatNumber } from './number.ts'

/** One column. */
export interface Column<Row> {
  /** Its title, which no other column of the table has. */
  readonly head: string
  /** Its value when absent. */
  readonly cell?: (row: Row) => ComponentChildren
  /** Its value for sorting and for the file; a column without it is neither sorted nor saved. */
  readonly value?: (row: Row) => string | number
  readonly isNumber?: boolean
  /** A CSS width such as `8rem`. */
  readonly width?: string
  /** True where a narrow screen leaves the column out. */
  readonly isWide?: boolean
}

interface TableProps<Row> {
  /** Read out before the table. */
  readonly caption: string
  /** The file's name, without its ending. */
  readonly name: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row) => string
  readonly onOpen?: (row: Row) => void
  readonly isOpen?: (row: Row) => boolean
  /** Shown instead of a table without rows. */
  readonly empty: JSX.Element
  /** Rows that are seen at once; 14 when absent. */
  readonly seen?: number
  /** True where rows come in front of others: they keep still while the pointer or the keyboard is among them. */
  readonly isMoving?: boolean
}

/** Height of a row in CSS pixels, as the style sheet has it. */
const rowHeight = 28
/** Rows that are drawn above and below those that are seen. */
const beyond = 6

/** A table. */
export function Table<Row>(props: TableProps<Row>): JSX.Element {
  const { columns, caption, empty, seen = 14 } = props
  const { rows, isHeld, holders } = useHold(props)
  const [sorting, setSorting] = useState<Sorting | null>(null)
  const sorted = sortRows(rows, columns, sorting)
  const { frame, first, last, isScrolled, onScroll } = useWindow(sorted.length, seen)
  if (rows.length === 0) return empty
  return (
    <div class="table">
      <div
        ref={frame}
        class="table-frame"
        style={{ maxHeight: `${(seen + 1) * rowHeight + 8}px` }}
        onScroll={onScroll}
        {...holders}
        // A part that scrolls has a name and takes the keyboard.
        {...(isScrolled && { role: 'region', tabIndex: 0, 'aria-label': caption })}
      >
        <table aria-rowcount={sorted.length + 1}>
          <caption class="visually-hidden">{caption}</caption>
          <thead>
            <tr>
              {columns.map((column) => (
                <Head key={column.head} column={column} sorting={sorting} onSort={setSorting} />
              ))}
            </tr>
          </thead>
          <tbody>
            <Spacer rows={first} />
            {sorted.slice(first, last).map((row, index) => (
              <TableRow key={props.rowKey(row)} row={row} at={first + index} {...props} />
            ))}
            <Spacer rows={sorted.length - last} />
          </tbody>
        </table>
      </div>
      <div class="row end quiet">
        <span>
          {counted(rows.length, 'row')}
          {isHeld ? ', held while you are in the list' : ''}
        </span>
        <Button onClick={() => saveRows(props, sorted)} label={`Save ${caption} as CSV`}>
          CSV
        </Button>
      </div>
    </div>
  )
}

/** The rows to draw, from `first` to before `last`: those that the scrolled frame shows, and some beyond them. */
function useWindow(count: number, seen: number) {
  const frame = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  const isScrolled = count > seen
  useEffect(() => {
    if (!isScrolled) setTop(0)
  }, [isScrolled])
  // Fewer rows than before may end above the place that was scrolled to.
  const first = Math.max(0, Math.min(Math.floor(top / rowHeight), count - seen) - beyond)
  const last = Math.min(count, first + seen + 2 * beyond)
  return { frame, first, last, isScrolled, onScroll: () => setTop(frame.current?.scrollTop ?? 0) }
}

/** The room of rows that are not drawn. */
function Spacer({ rows }: { readonly rows: number }): JSX.Element | null {
  if (rows <= 0) return null
  return (
    <tr style={{ height: `${rows * rowHeight}px` }}>
      <td class="gap" />
    </tr>
  )
}

/** The rows to show: of a table that moves those that were there when the pointer or the keyboard came in. */
function useHold<Row>({ rows, isMoving = false }: TableProps<Row>) {
  const [held, setHeld] = useState<readonly Row[] | null>(null)
  const hold = () => setHeld((before) => before ?? rows)
  const release = () => setHeld(null)
  const releaseOutside = ({ currentTarget, relatedTarget }: TargetedFocusEvent<HTMLElement>) => {
    if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) release()
  }
  const holders = isMoving
    ? { onPointerEnter: hold, onFocusCapture: hold, onPointerLeave: release, onBlurCapture: releaseOutside }
    : {}
  return { rows: held ?? rows, isHeld: held !== null, holders }
}

/** Numbers need little room; what is left goes to texts. */
function measureWidth<Row>({ width, isNumber }: Column<Row>): { readonly width?: string } {
  if (width !== undefined) return { width }
  return isNumber === true ? { width: '4.5rem' } : {}
}

/** The column that rows are sorted by, and the direction. */
interface Sorting {
  readonly head: string
  readonly isUp: boolean
}

interface HeadProps<Row> {
  readonly column: Column<Row>
  readonly sorting: Sorting | null
  readonly onSort: (sorting: Sorting) => void
}

function Head<Row>({ column, sorting, onSort }: HeadProps<Row>): JSX.Element {
  const isSorted = sorting?.head === column.head
  const order = isSorted ? (sorting.isUp ? 'ascending' : 'descending') : undefined
  // Numbers are looked at from the largest on.
  const isUp = isSorted ? !sorting.isUp : column.isNumber !== true
  return (
    <th scope="col" aria-sort={order} class={classOf(column)} style={measureWidth(column)}>
      {column.value === undefined ? (
        column.head
      ) : (
        <button type="button" onClick={() => onSort({ head: column.head, isUp })}>
          {column.head}
          <span aria-hidden="true">{isSorted ? (sorting.isUp ? ' ↑' : ' ↓') : ''}</span>
        </button>
      )}
    </th>
  )
}

function TableRow<Row>(props: TableProps<Row> & { readonly row: Row; readonly at: number }): JSX.Element {
  const { row, columns, onOpen, isOpen } = props
  const [head, ...others] = columns
  const open = () => onOpen?.(row)
  return (
    <tr
      aria-rowindex={props.at + 2}
      aria-current={isOpen?.(row) === true ? 'true' : undefined}
      class={onOpen === undefined ? '' : 'opens'}
      onClick={open}
    >
      {head === undefined ? null : (
        <th scope="row" class={classOf(head)}>
          {onOpen === undefined ? (
            showCell(head, row)
          ) : (
            <button
              type="button"
              onClick={(event) => {
                event.stopPropagation()
                open()
              }}
            >
              {showCell(head, row)}
            </button>
          )}
        </th>
      )}
      {others.map((column) => (
        <td key={column.head} class={classOf(column)}>
          {showCell(column, row)}
        </td>
      ))}
    </tr>
  )
}

function showCell<Row>({ cell, value }: Column<Row>, row: Row): ComponentChildren {
  if (cell !== undefined) return cell(row)
  const plain = value?.(row)
  return typeof plain === 'number' ? formatNumber(plain) : plain
}

function classOf<Row>({ isNumber, isWide }: Column<Row>): string {
  return `${isNumber === true ? 'num' : ''} ${isWide === true ? 'wide' : ''}`.trim()
}

function sortRows<Row>(rows: readonly Row[], columns: readonly Column<Row>[], sorting: Sorting | null): readonly Row[] {
  const value = columns.find(({ head }) => head === sorting?.head)?.value
  if (sorting === null || value === undefined) return rows
  const sign = sorting.isUp ? 1 : -1
  return [...rows].sort((one, other) => {
    const [a, b] = [value(one), value(other)]
    return sign * (typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b)))
  })
}

function saveRows<Row>({ name, columns }: TableProps<Row>, rows: readonly Row[]): void {
  const saved = columns.flatMap(({ head, value }) => (value === undefined ? [] : { head, value }))
  const lines = rows.map((row) => saved.map(({ value }) => value(row)))
  downloadText(`${name}.csv`, 'text/csv', writeCsv([saved.map(({ head }) => head), ...lines]))
}
