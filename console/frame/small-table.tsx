/** A table of a few rows: a name, and what is known of it in columns of numbers. */

import type { ComponentChildren, JSX } from 'preact'

/** The table. */
export function SmallTable(props: {
  /** Read out before the table. */
  readonly caption: string
  readonly heads: readonly string[]
  readonly rows: readonly (readonly ComponentChildren[])[]
  readonly class?: string
}): JSX.Element {
  const [first, ...others] = props.heads
  return (
    <table class={props.class}>
      <caption class="visually-hidden">{props.caption}</caption>
      <thead>
        <tr>
          <th scope="col">{first}</th>
          {others.map((head) => (
            <th key={head} scope="col" class="num">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {props.rows.map(([name, ...cells], at) => (
          <tr key={at}>
            <th scope="row">{name}</th>
            {cells.map((cell, column) => (
              <td key={column} class="num">
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
