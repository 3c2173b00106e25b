/** Round ticks on the axes of a drawing: of values, and of time. */

/** Round values from low to high that divide a range into about `count` parts. */
export function ticksOf(low: number, high: number, count: number): readonly number[] {
  const span = high - low
  if (!(span > 0)) return [low]
  const rough = span / Math.max(1, count)
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough) ?? rough
  const ticks: number[] = []
  for (let at = Math.ceil(low / step - 1e-9); at * step <= high + step * 1e-9; at++) {
    ticks.push(Number((at * step).toPrecision(12)))
  }
  return ticks
}

const timeSteps = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800,
  604_800, 1_209_600, 2_592_000, 7_776_000, 31_536_000,
]

/** Round moments of a range, at most `count` of them. @param low - Unix time in seconds, as `high`. */
export function timeTicksOf(low: number, high: number, count: number): readonly number[] {
  const step = timeSteps.find((candidate) => (high - low) / candidate <= count) ?? high - low
  const ticks: number[] = []
  for (let at = Math.ceil(low / step) * step; at <= high && step > 0; at += step) ticks.push(at)
  return ticks
}
