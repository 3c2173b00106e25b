/** A planar drawing of a grid: distances on the paper follow the number of branches between two buses. */

type Place = readonly [x: number, y: number]

const low = 40
const high = 960
const rounds = 80

/**
 * Finds coordinates from 0 to 1000 by stress majorization (Gansner, Koren and North, 2004); the same grid always has the
 * same drawing.
 *
 * @param neighbours - For each bus, the positions of its neighbours.
 */
export function layOut(neighbours: readonly (readonly number[])[]): readonly Place[] {
  const count = neighbours.length
  const distances = neighbours.map((_, from) => measureDistances(neighbours, from))
  const places = neighbours.map((_, at): Place => {
    const angle = (2 * Math.PI * at) / count
    return [Math.cos(angle) * Math.sqrt(count), Math.sin(angle) * Math.sqrt(count)]
  })
  for (let round = 0; round < rounds; round++) {
    for (let at = 0; at < count; at++) places[at] = moveBus(places, distances[at] ?? [], at)
  }
  return fitPlaces(places)
}

/** Steps from a bus to each other one, breadth first; buses that are not reached are as far as there are buses. */
function measureDistances(neighbours: readonly (readonly number[])[], from: number): readonly number[] {
  const distances = neighbours.map(() => neighbours.length)
  distances[from] = 0
  const queue = [from]
  for (const at of queue) {
    for (const next of neighbours[at] ?? []) {
      if (distances[next] !== neighbours.length) continue
      distances[next] = (distances[at] ?? 0) + 1
      queue.push(next)
    }
  }
  return distances
}

function moveBus(places: readonly Place[], distances: readonly number[], at: number): Place {
  const [x, y] = places[at] ?? [0, 0]
  let [sumX, sumY, weights] = [0, 0, 0]
  for (const [other, [otherX, otherY]] of places.entries()) {
    if (other === at) continue
    const wanted = distances[other] ?? 1
    const weight = 1 / wanted ** 2
    const length = Math.max(Math.hypot(x - otherX, y - otherY), 1e-9)
    sumX += weight * (otherX + (wanted * (x - otherX)) / length)
    sumY += weight * (otherY + (wanted * (y - otherY)) / length)
    weights += weight
  }
  return weights === 0 ? [x, y] : [sumX / weights, sumY / weights]
}

/** Scales coordinates into the drawing, each direction by itself, rounded to whole numbers. */
export function fitPlaces(places: readonly Place[]): readonly Place[] {
  const stretch = (values: readonly number[]) => {
    const [least, most] = [Math.min(...values), Math.max(...values)]
    return values.map((value) =>
      Math.round(most === least ? 500 : low + ((value - least) * (high - low)) / (most - least)),
    )
  }
  const [xs, ys] = [stretch(places.map(([x]) => x)), stretch(places.map(([, y]) => y))]
  return xs.map((x, at) => [x, ys[at] ?? 0])
}
