/** Views whose code is loaded when they are first opened. */

import type { ComponentType, JSX } from 'preact'
import { ConsoleError } from './errors.ts'
import { Loaded } from './loaded.tsx'
import { useResource } from './resource.ts'

/** Properties of every room: the segments of its address behind its name. */
export interface RoomProps {
  readonly path: readonly string[]
}

/** Code that has come, by the name of its view: a view that is opened again is drawn at once. */
const views = new Map<string, ComponentType<RoomProps>>()

/** A view that loads its code. */
export function Lazy(props: {
  readonly name: string
  readonly load: () => Promise<ComponentType<RoomProps>>
  readonly path: readonly string[]
}): JSX.Element {
  const { name, load, path } = props
  const code = useResource(async () => {
    const view = await load().catch(() => {
      throw new ConsoleError('Cannot load the room: its files did not come', {
        status: 0,
        hint: 'Try again, or reload the page: a newer version may run now.',
      })
    })
    views.set(name, view)
    return view
  }, name)
  return (
    <Loaded of={{ ...code, data: views.get(name) }} rows={8}>
      {(View) => <View path={path} />}
    </Loaded>
  )
}
