/** Work in slices: its pauses, and that both ways come to the same. */

import { expect, test } from 'vitest'
import { doAtOnce, doInSlices, type Sliced } from '#base/slices.ts'

function* three(done: string[]): Sliced<number> {
  for (const name of ['a', 'b', 'c']) {
    done.push(name)
    yield
  }
  return 3
}

test('doInSlices() pauses after each slice, and doAtOnce() never', async () => {
  const done: string[] = []
  const pause = async () => void done.push('pause')
  expect(await doInSlices(three(done), pause)).toBe(3)
  expect(done.splice(0)).toEqual(['a', 'pause', 'b', 'pause', 'c', 'pause'])
  expect(doAtOnce(three(done))).toBe(3)
  expect(done).toEqual(['a', 'b', 'c'])
})
