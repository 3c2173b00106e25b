/** Channels of a phasor unit that repeat one value: an honest meter has noise in every frame. */

import { type Finding, found } from './detection.ts'
import type { PhasorView } from './view.ts'

/** Frames in a row with one value that no meter gives by chance: two equal ones come once in 800 frames of FREQ. */
const frozenFrames = 6

/** Counts the frames in a row with one value, 1 for a zero: of FREQ, then of magnitude and angle of each phasor. */
export function countRepeats(
  counts: readonly number[],
  before: PhasorView | undefined,
  now: PhasorView,
): readonly number[] {
  const next = (index: number, isSame: boolean) => (isSame ? (counts[index] ?? 1) + 1 : 1)
  const repeats = [next(0, now.frequencyHz === before?.frequencyHz)]
  for (const [index, phasor] of now.phasors.entries()) {
    const old = before?.phasors[index]
    const isMeasured = phasor.magnitudePu !== 0 && old !== undefined && old.magnitudePu !== 0
    repeats.push(
      next(index * 2 + 1, isMeasured && phasor.magnitudePu === old.magnitudePu),
      next(index * 2 + 2, isMeasured && phasor.angleRad === old.angleRad),
    )
  }
  return repeats
}

/** Finds a unit with frozen channels, by the counts of `countRepeats`. */
export function testFrozen(unit: string, counts: readonly number[]): readonly Finding[] {
  if (!counts.some((count) => count >= frozenFrames)) return []
  const frozen = counts.flatMap((count, index) => (count >= frozenFrames ? [channelName(index)] : []))
  // All channels at once are a repeated frame, which `testPhasors` finds.
  if (frozen.length === counts.length) return []
  const text = `${frozen.join(', ')} had one value for ${frozenFrames} frames: no meter is so still`
  return [found('frozen', unit, text, { channels: frozen, frames: frozenFrames })]
}

function channelName(index: number): string {
  if (index === 0) return 'FREQ'
  const phasor = Math.floor((index - 1) / 2)
  return `${index % 2 === 1 ? 'magnitude' : 'angle'} of phasor ${phasor}`
}
