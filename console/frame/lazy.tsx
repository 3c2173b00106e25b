/** Views whose code is loaded when they are first opened. */

import type { ComponentType, JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { ConsoleError } from './errors.ts'
import { Problem, Skeleton } from './pieces.tsx'

/** What every room is given: the segments of its address behind its name. */
export interface RoomProps {
  readonly path: readonly string[]
}

/** Code that is on its way, by the name of its view. */
const loaded = new Map<string, ComponentType<RoomProps>>()

/** A view that loads its code. */
export function Lazy(props: {
  readonly name: string
  readonly load: () => Promise<ComponentType<RoomProps>>
  readonly path: readonly string[]
}): JSX.Element {
  const { name, load } = props
  const [round, setRound] = useState(0)
  const [failure, setFailure] = useState<ConsoleError | null>(null)
  useEffect(() => {
    if (loaded.has(name)) return
    setFailure(null)
    load().then(
      (view) => {
        loaded.set(name, view)
        setRound((before) => before + 1)
      },
      () =>
        setFailure(
          new ConsoleError('Cannot load the room: its files did not come', {
            status: 0,
            hint: 'Try again, or reload the page: a newer version may run now.',
          }),
        ),
    )
  }, [name, failure === null ? 0 : round])
  const View = loaded.get(name)
  if (View !== undefined) return <View path={props.path} />
  return failure === null ? (
    <Skeleton rows={8} />
  ) : (
    <Problem error={failure} onRetry={() => setRound((before) => before + 1)} />
  )
}
