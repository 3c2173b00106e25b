/** The book of a market as two mirrored ladders in cents. */

import type { JSX } from 'preact'
import type { Depth } from '#gateway/contract/results.ts'
import { Empty, Panel, State } from '../../frame/components.tsx'
import { formatNumber } from '../../frame/number.ts'

/** Both ladders. */
export function Ladders({ id, depths }: { readonly id: string; readonly depths: readonly Depth[] }): JSX.Element {
  if (depths.length === 0) {
    return (
      <Empty title={`The book of market ${id} is empty`}>
        A bid for yes or for no opens it, and so does a pair of shares.
      </Empty>
    )
  }
  const most = Math.max(1, ...depths.map((depth) => Math.max(depth.buy_volume, depth.sell_volume)))
  return (
    <Panel title={`Book of market ${id}`}>
      <div class="columns">
        {[true, false].map((outcome) => (
          <Ladder
            key={String(outcome)}
            name={outcome ? 'Yes' : 'No'}
            rows={depths.filter((one) => one.outcome === outcome)}
            most={most}
          />
        ))}
      </div>
    </Panel>
  )
}

function Ladder(props: { readonly name: string; readonly rows: readonly Depth[]; readonly most: number }): JSX.Element {
  const { name, rows, most } = props
  const sorted = [...rows].sort((one, other) => other.price - one.price)
  const bid = Math.max(...rows.filter(({ buy_volume }) => buy_volume > 0).map(({ price }) => price))
  const ask = Math.min(...rows.filter(({ sell_volume }) => sell_volume > 0).map(({ price }) => price))
  const isQuoted = Number.isFinite(bid) && Number.isFinite(ask)
  return (
    <table class="ladder">
      <caption>
        <State tone="normal">{name}</State>{' '}
        <span class="quiet">
          {isQuoted ? `${bid} bid, ${ask} ask, spread ${ask - bid} ¢` : 'not quoted on both sides'}
        </span>
      </caption>
      <thead>
        <tr>
          <th scope="col" class="num">
            Bought
          </th>
          <th scope="col" class="num">
            Price ¢
          </th>
          <th scope="col">Sold</th>
        </tr>
      </thead>
      <tbody>
        {sorted.map(({ price, buy_volume: bought, sell_volume: sold }) => (
          <tr key={price}>
            <td class="num">
              <i class="volume buy" style={{ width: `${(bought / most) * 100}%` }} />
              <span>{bought > 0 ? formatNumber(bought) : ''}</span>
            </td>
            <th scope="row" class="num">
              {price}
            </th>
            <td>
              <i class="volume sell" style={{ width: `${(sold / most) * 100}%` }} />
              <span>{sold > 0 ? formatNumber(sold) : ''}</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
