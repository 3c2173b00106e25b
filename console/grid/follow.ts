/** Follows a simulation by its event stream, and reads the alarms that the stream did not bring. */

import { useEffect, useRef, useState } from 'preact/hooks'
import type { Alarm, LimitAlarm } from '#grid/contract/grid.ts'
import { type LiveState, useLive } from '../frame/live.ts'
import { useAnswer } from '../frame/resource.ts'
import { addAlarms, emptyGrid, type LiveGrid, takeEvent } from './live-grid.ts'

/** Milliseconds between two drawings of what the stream brought: few enough for any flood. */
const drawMs = 300

interface Following {
  /** The path of the simulation's interface, such as `/api/v1`. */
  readonly base: string
  readonly isTrainee: boolean
  /** Called when another session begins. */
  readonly onSession: () => void
}

/** Follows the event stream; the component is drawn again a few times a second while something arrives. */
export function useLiveGrid({ base, isTrainee, onSession }: Following): { grid: LiveGrid; live: LiveState } {
  const grid = useRef<LiveGrid | null>(null)
  grid.current ??= emptyGrid()
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  // A copy for each drawing: a component whose properties are the same is not drawn again.
  const [shown, draw] = useState<LiveGrid>(grid.current)
  useEffect(() => () => clearTimeout(timer.current), [])
  // An incident is an attacked message: a trainee is to find it without that mark.
  const topics = `diagram,alarm,gap,grid,status${isTrainee ? '' : ',incident'}`
  const live = useLive('grid', `${base}/events?ids=1&topics=${topics}`, (event) => {
    if (grid.current !== null && takeEvent(grid.current, event)) {
      grid.current = emptyGrid()
      onSession()
    }
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      if (grid.current !== null) draw({ ...grid.current })
    }, drawMs)
  })
  return { grid: shown, live }
}

/** Alarms that were raised before the page was opened, or while its stream was lost. */
export function useEarlierAlarms(key: string, base: string, grid: LiveGrid, live: LiveState): void {
  const earlier = useAnswer<{ alarms: readonly Alarm[]; limit_alarms: readonly LimitAlarm[] }>(
    'grid',
    `${base}/grid/view`,
    undefined,
    key,
  )
  const wasLost = useRef(false)
  useEffect(() => {
    if (live === 'live' && wasLost.current) earlier.reload()
    wasLost.current = live === 'lost' || (wasLost.current && live !== 'live')
  }, [live])
  useEffect(() => {
    if (earlier.data === undefined) return
    const { alarms, limit_alarms } = earlier.data
    const ordered = [...alarms, ...limit_alarms].sort((one, other) => one.number - other.number)
    // Those that the stream has brought come after the earlier ones.
    const received = grid.alarms.splice(0)
    addAlarms(grid, ordered)
    addAlarms(grid, received)
  }, [earlier.data])
}

/** Calls `onReplaced` when the simulation's session is no longer the first one that was seen under a key. */
export function useReplacement(key: string, id: string | undefined, onReplaced: () => void): void {
  const first = useRef({ key, id })
  useEffect(() => {
    if (first.current.key !== key || first.current.id === undefined) first.current = { key, id }
    else if (id !== undefined && id !== first.current.id) onReplaced()
  }, [key, id])
}
