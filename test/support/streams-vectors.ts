/** The stream network's vectors by group; see test/vectors/streams-origin.md. */

import document from '../vectors/streams-vectors.json' with { type: 'json' }

/** One vector. Input and expectation have one shape per group, which the test of the group spells out. */
export interface Vector<Input, Expected> {
  readonly id: string
  readonly input: Input
  readonly expected: Expected
}

/** All vectors of a group; fails when there are none, so that no test can pass by an empty list. */
export function vectorsOf<Input, Expected>(group: string): readonly Vector<Input, Expected>[] {
  const found = document.vectors.filter((vector) => vector.group === group)
  if (found.length === 0) throw new Error(`No vectors of group "${group}"`)
  // The caller states the shape of the group.
  return found as unknown as readonly Vector<Input, Expected>[]
}
