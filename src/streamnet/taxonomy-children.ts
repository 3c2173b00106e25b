/** The children of a taxonomy, as a list or as a map. */

/** A child with its weight. */
export interface WeightedChild {
  readonly stream: {
    readonly streamId: string
    /** The stream's owner; the caller when left out. */
    readonly dataProvider?: string | undefined
  }
  readonly weight: string | number
}

/** Children as a list, or as a map from the ids of one's own streams to weights. */
export type ChildStreams = readonly WeightedChild[] | Readonly<Record<string, string | number>>

/** Makes a list of children, which may be a map. */
export function listChildren(children: ChildStreams): readonly WeightedChild[] {
  // A list is the only form that is an array.
  if (Array.isArray(children)) return children as readonly WeightedChild[]
  return Object.entries(children).map(([streamId, weight]) => ({ stream: { streamId }, weight }))
}
