/** A profile of the processor, as V8 takes it and Chrome DevTools opens it. */

import type { Inspector } from './inspector.ts'

/** One function in one place of the call tree. */
export interface ProfileNode {
  readonly id: number
  readonly callFrame: {
    readonly functionName: string
    readonly url: string
    /** From 0; below 0 where there is none. */
    readonly lineNumber: number
  }
  readonly children?: readonly number[]
}

/** A profile: the call tree, and which node ran at each look. Times are in microseconds of the profiler's clock. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[]
  readonly startTime: number
  readonly endTime: number
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

/** Microseconds from one look to the next: a thousand a second, which costs the runtime a few hundredths. */
export const sampleMicros = 1_000

/**
 * Takes a profile.
 *
 * @param length - how long, in milliseconds; ends early when the signal aborts.
 * @throws Error with the runtime's own words.
 */
export async function takeCpuProfile(inspector: Inspector, length: number, signal: AbortSignal): Promise<CpuProfile> {
  await inspector.send('Profiler.enable')
  await inspector.send('Profiler.setSamplingInterval', { interval: sampleMicros })
  await inspector.send('Profiler.start')
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, length)
    signal.addEventListener('abort', () => resolve(), { once: true })
    signal.addEventListener('abort', () => clearTimeout(timer), { once: true })
  })
  // The protocol's answer to this command.
  const { profile } = (await inspector.send('Profiler.stop')) as { readonly profile: CpuProfile }
  await inspector.send('Profiler.disable')
  return profile
}
