/** Answers to natural mistakes: each says what was wrong and what would be right. */

import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type RunningBundle, startBundle } from '../../support/bundle.ts'
import { createSimulations, gridBearer, gridToken } from '../../support/grid-service.ts'
import document from '../../vectors/grid-mistakes.json' with { type: 'json' }

/** A request, and the exact answer to it. */
interface Mistake {
  readonly name: string
  readonly method: string
  readonly path: string
  /** Other headers in the place of the token. */
  readonly headers?: Readonly<Record<string, string>>
  /** A body as JSON, or as text that is none. */
  readonly body?: unknown
  readonly text?: string
  /** The reason why the answer is not a refusal, or is in the contract's own words. */
  readonly reason?: string
  readonly answer: Answer
}

/** Status, the JSON body or the content type of another, and the header of warnings where there is one. */
interface Answer {
  readonly status: number
  readonly warning?: string
  readonly body: unknown
}

let bundle: RunningBundle
beforeAll(async () => {
  bundle = await startBundle({ worker: 'grid', rebuild: true, vars: { GRID_TOKEN: gridToken } })
  await createSimulations(bundle.url, ['running', 'stepped'])
  await post('/simulations/running/api/v1/sim/start')
  await post('/simulations/stepped/api/v1/sim/stop')
  await post('/simulations/stepped/api/v1/sim/step', { steps: 10 })
  // Nothing has happened in the default one. A configuration starts it, so a busy machine may stop it too late.
  await vi.waitFor(async () => expect(await stopAtOnce()).toBe(0), { timeout: 120_000 })
})
afterAll(() => bundle?.stop())

async function post(path: string, body: unknown = {}): Promise<void> {
  const sent = { method: 'POST', headers: gridBearer, body: JSON.stringify(body) }
  const response = await fetch(bundle.url + path, sent)
  expect(response.status, `POST ${path}`).toBe(200)
}

/** Begins the default simulation anew and stops it; gives how many incidents there were until then. */
async function stopAtOnce(): Promise<number> {
  await post('/api/v1/sim/config', { seed: 3, start_time: 1_764_000_000 })
  await post('/api/v1/sim/stop')
  const response = await fetch(`${bundle.url}/api/v1/incidents`, { headers: gridBearer })
  return ((await response.json()) as { total: number }).total
}

async function ask({ method, path, headers = gridBearer, body, text }: Mistake): Promise<Answer> {
  const sent = text ?? (body === undefined ? undefined : JSON.stringify(body))
  const response = await fetch(bundle.url + path, { method, headers, ...(sent === undefined ? {} : { body: sent }) })
  const warning = response.headers.get('x-grid-warning')
  const type = response.headers.get('content-type') ?? ''
  const isJson = type.startsWith('application/json')
  const answered = isJson ? blur(await response.text()) : type
  if (!isJson) await response.body?.cancel()
  return {
    status: response.status,
    ...(warning === null ? {} : { warning }),
    body: isJson ? JSON.parse(answered) : answered,
  }
}

/** Numbers of attacks count up in a session. */
function blur(text: string): string {
  return text.replaceAll(/([A-Z]+)-\d+"/g, '$1-@number"')
}

it.each(document.mistakes as readonly Mistake[])('$name', async (mistake) => {
  const answer = await ask(mistake)
  expect(answer).toEqual(mistake.answer)
  await post('/api/v1/attack/disable')
  const isHelp = /expected|did you mean|"hint"|take|limit is/i.test(JSON.stringify([answer]))
  // What says nothing of what is right has a reason for it.
  if (!isHelp) expect(mistake.reason).toMatch(/\S/)
})
