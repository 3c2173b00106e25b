/** Asks a deployment the questions of `checks`, once it runs the version that is expected. */

import { setTimeout as sleep } from 'node:timers/promises'
import { reasonOf } from '#base/errors.ts'
import { type Check, checks } from './checks.ts'

/** Outcome of a check; the answer is null when it is right. */
export interface Outcome {
  readonly check: Check
  readonly answer: string | null
}

/** A deployment as its `/healthz` describes it. */
export interface Deployment {
  readonly version: string
  readonly surfaces: readonly string[]
}

/** Longest wait for one answer, in milliseconds. */
const timeoutMs = 10_000
const askAgainMs = 1_000

/** Waits until a deployment answers, with this version if one is given: a release spreads over some seconds. */
export async function waitForDeployment(
  url: string,
  { version, waitMs }: { readonly version: string | undefined; readonly waitMs: number },
): Promise<Deployment> {
  const endMs = performance.now() + waitMs
  for (;;) {
    const found = await readHealth(url)
    if (typeof found !== 'string' && (version === undefined || found.version === version)) return found
    if (performance.now() >= endMs) {
      const state = typeof found === 'string' ? found : `it runs version ${found.version}, expected ${version}`
      throw new Error(`Cannot test ${url}: ${state}`)
    }
    await sleep(askAgainMs)
  }
}

/** Reads `/healthz`; a text says why it cannot be read. */
async function readHealth(url: string): Promise<Deployment | string> {
  try {
    const response = await ask(url, { method: 'GET', path: '/healthz' })
    const text = await response.text()
    if (response.status !== 200) return `/healthz answered ${response.status}, expected 200`
    const { version, surfaces } = JSON.parse(text) as Partial<Deployment>
    if (typeof version === 'string' && Array.isArray(surfaces)) return { version, surfaces }
    return '/healthz is not that of Sluice, expected its version and surfaces'
  } catch (error) {
    return `/healthz does not answer as JSON (${reasonOf(error)}), expected a deployment of Sluice`
  }
}

/** Asks every question that is about the deployment, one after another. */
export async function checkDeployment(url: string, { surfaces }: Deployment): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = []
  for (const check of checks) {
    if (check.surface === null || surfaces.includes(check.surface)) outcomes.push(await askCheck(url, check))
  }
  return outcomes
}

async function askCheck(url: string, check: Check): Promise<Outcome> {
  try {
    const response = await ask(url, check)
    const text = (await response.text()).trim().replaceAll(/\s+/g, ' ').slice(0, 300)
    if (check.right.includes(response.status)) return { check, answer: null }
    // An answer that strangers should not have does not belong into a log either.
    return { check, answer: response.ok ? `${response.status}` : `${response.status} ${text}` }
  } catch (error) {
    return { check, answer: reasonOf(error) }
  }
}

function ask(url: string, { method, path, body }: Pick<Check, 'method' | 'path' | 'body'>): Promise<Response> {
  const signal = AbortSignal.timeout(timeoutMs)
  const sent = body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }
  return fetch(new URL(path, url), { method, signal, redirect: 'manual', ...sent })
}
