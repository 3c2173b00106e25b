/** Requests that represent all: a sample of a fixed size, in which every request has the same chance to be. */

import type { RateLimitRequest } from '../types.ts'
import { usageBounds } from './bounds.ts'
import { classifyDecision, type DecidedRequest, type SampledRequest } from './types.ts'

/** Adds the latest of so many requests to the sample, or leaves it out, by a chance from 0 to 1. */
export function addSample(
  samples: DecidedRequest[],
  requests: number,
  decided: DecidedRequest,
  chance: () => number,
): void {
  if (samples.length < usageBounds.samples) {
    samples.push(decided)
    return
  }
  const at = Math.floor(chance() * requests)
  if (at < samples.length) samples[at] = decided
}

/** Reports the sample, each with the requests that it represents; long ones and settlements are left out. */
export function reportSamples(samples: readonly DecidedRequest[], requests: number): readonly SampledRequest[] {
  const weight = requests / Math.max(1, samples.length)
  return samples.filter(({ request }) => isShort(request) && isDecision(request)).map((one) => toSampled(one, weight))
}

/** Rules that are tried out count a reservation by its estimate, and nothing of its settlement. */
function isDecision({ descriptors }: RateLimitRequest): boolean {
  return descriptors.every(({ step }) => step?.action !== 'settle')
}

function withoutSteps(request: RateLimitRequest): RateLimitRequest {
  if (request.descriptors.every(({ step }) => step === undefined)) return request
  return { ...request, descriptors: request.descriptors.map(({ step: _, ...descriptor }) => descriptor) }
}

function isShort({ domain, descriptors }: RateLimitRequest): boolean {
  const entries = descriptors.flatMap((descriptor) => descriptor.entries)
  const texts = [domain, ...entries.flatMap(({ key, value }) => [key, value])]
  return (
    entries.length <= usageBounds.sampleEntries &&
    texts.every((text) => text.length <= usageBounds.sampleText) &&
    texts.reduce((sum, text) => sum + text.length, 0) <= usageBounds.sampleTexts
  )
}

function toSampled({ request, response, decided, nowMs }: DecidedRequest, weight: number): SampledRequest {
  return {
    at: nowMs,
    weight,
    code: response.overallCode,
    request: withoutSteps(request),
    outcomes: decided.map(({ match, status, isOver }) => ({
      rule: match.limit?.statKey ?? null,
      outcome: classifyDecision(isOver, status.code === 'OVER_LIMIT'),
    })),
  }
}
