/** The gateway's event streams of blocks and of a market, open while the tab is seen. */

import { signal } from '@preact/signals'
import type { Depth } from '#gateway/contract/results.ts'
import { useLive } from '../frame/live.ts'
import type { MarketInfo } from './markets/question.ts'

/** A market as its event stream sends it. */
export interface MarketState {
  readonly info: MarketInfo
  readonly depth: readonly Depth[]
}

/** Calls back with the height of the chain when the stream opens, and with each later one. */
export function useBlockEvents(onHeight: (height: number) => void): void {
  useEvents<{ readonly height: number }>('blocks', 'blocks', ({ height }) => onHeight(height))
}

/** Calls back with a market when the stream opens, and after each change; an id of null reads none. */
export function useMarketEvents(id: string | null, onState: (state: MarketState) => void): void {
  useEvents(id === null ? null : `markets/${id}`, 'market', onState)
}

// A browser opens six connections to a host in all its tabs together: one that is not seen holds none.
const isSeen = signal(!document.hidden)
document.addEventListener('visibilitychange', () => {
  isSeen.value = !document.hidden
})

function useEvents<T>(subject: string | null, name: string, onData: (data: T) => void): void {
  const path = subject === null || !isSeen.value ? null : `/streamnet/v1/${subject}/events`
  useLive('streamnet', path, ({ event, data }) => {
    // As docs/gateway.md has it.
    if (event === name) onData(JSON.parse(data) as T)
  })
}
