/** Series as lines: their paths, thinned to what a screen shows. */

/** The colour of a line; `bad` and `attention` are for the abnormal only. */
export type LineTone = 'text' | 'muted' | 'accent' | 'attention' | 'bad'

/** One point of a line; null breaks it. */
export type Point = readonly [x: number, y: number] | null

/** The path of a line through points in pixels. */
export function linePath(points: readonly Point[]): string {
  let path = ''
  let isBroken = true
  for (const point of points) {
    if (point !== null) path += `${isBroken ? 'M' : 'L'}${point[0].toFixed(1)} ${point[1].toFixed(1)}`
    isBroken = point === null
  }
  return path
}

/** Keeps the lowest and highest point of every pixel's width, so that a long series draws as it looks. */
export function thin(x: readonly number[], values: readonly (number | null)[], width: number): readonly number[] {
  if (x.length <= width * 2) return x.map((_, index) => index)
  const kept: number[] = []
  const each = x.length / width
  for (let pixel = 0; pixel < width; pixel++) {
    const [from, to] = [Math.floor(pixel * each), Math.floor((pixel + 1) * each)]
    let low = from
    let high = from
    for (let index = from; index < to; index++) {
      if ((values[index] ?? Infinity) < (values[low] ?? Infinity)) low = index
      if ((values[index] ?? -Infinity) > (values[high] ?? -Infinity)) high = index
    }
    kept.push(...(low === high ? [low] : low < high ? [low, high] : [high, low]))
  }
  return kept
}
