/** The room of the streams: their list and views, the chain, markets, the ledger, and forms that write. */

import type { JSX } from 'preact'
import { Empty, Tabs } from '../frame/components.tsx'
import type { RoomProps } from '../frame/lazy.tsx'
import { Loaded } from '../frame/loaded.tsx'
import { useNames } from '../frame/search-index.ts'
import { Chain } from './chain.tsx'
import { Development } from './development/development.tsx'
import { Jobs } from './jobs.tsx'
import { Markets } from './markets/markets.tsx'
import { useNetworkNames } from './name-book.ts'
import { listNames } from './names.ts'
import { CreateForm } from './publish-form.tsx'
import { Roles } from './roles.tsx'
import { StreamList, useStreams } from './stream-list.tsx'
import { StreamView } from './stream-view.tsx'
import { Wallets } from './wallets.tsx'

export { readNames } from './names.ts'

const views = [
  ['', 'Streams'],
  ['chain', 'Chain'],
  ['markets', 'Markets'],
  ['wallets', 'Wallets'],
  ['roles', 'Roles'],
  ['write', 'Create'],
  ['jobs', 'Jobs'],
  ['development', 'Development'],
] as const

/** The room. */
export function Room({ path }: RoomProps): JSX.Element {
  const streams = useStreams()
  useNetworkNames()
  useNames('streams', listNames(streams.data ?? []))
  const [first = '', second] = path
  if (first.startsWith('0x') && second !== undefined) {
    return <StreamView key={`${first} ${second}`} provider={first} id={second} />
  }
  const isKnown = views.some(([name]) => name === first)
  return (
    <div class="stack">
      <h1>Streams</h1>
      <Tabs label="Views of the stream network" base="/console/streams" tabs={views} current={first} />
      {isKnown ? null : (
        <Empty title={`There is no view "${first}" here`}>
          Choose one of the tabs above; a stream has the address /console/streams/OWNER/STREAM.
        </Empty>
      )}
      {first === 'chain' ? <Chain /> : null}
      {first === 'markets' ? <Markets id={second} /> : null}
      {first === 'wallets' ? <Wallets address={second} /> : null}
      {first === 'roles' ? <Roles /> : null}
      {first === 'write' ? <CreateForm /> : null}
      {first === 'jobs' ? <Jobs /> : null}
      {first === 'development' ? <Development /> : null}
      {first !== '' ? null : (
        <Loaded of={streams} rows={10}>
          {(data) => <StreamList streams={data} />}
        </Loaded>
      )}
    </div>
  )
}
