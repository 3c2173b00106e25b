import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import type { Operation, Parameter } from '#console/docs/document.ts'
import { stubPage } from '#test/support/page-globals.ts'

stubPage()
// The session reads the storage of the page when it is loaded.
const { fillPath, placeOf, sendRequest } = await import('#console/docs/request.ts')

const parameter = (part: Parameter['in'], name: string) =>
  ({ in: part, name, isRequired: false, schema: {}, description: undefined }) as const
const parameters = [parameter('path', 'id'), parameter('query', 'id'), parameter('header', 'id')]
// Titles and answers are not read.
const operation = { method: 'GET', path: '/things/{id}', parameters, body: undefined } as unknown as Operation
const values = Object.fromEntries(parameters.map((one) => [placeOf(one), `a ${one.in}`]))

/** Gives every request an answer; a stream sends its text and stays open. */
function answerWith(text: string, type: string, isOpen = false) {
  const asked: RequestInit[] = []
  vi.stubGlobal('fetch', async (_: string, init: RequestInit) => {
    asked.push(init)
    const body = new ReadableStream({
      async start(controller) {
        controller.enqueue(new TextEncoder().encode(text.slice(0, 2)))
        if (!isOpen) await vi.advanceTimersByTimeAsync(4_000)
        controller.enqueue(new TextEncoder().encode(text.slice(2)))
        if (!isOpen) controller.close()
      },
    })
    return new Response(body, { headers: { 'content-type': type } })
  })
  return asked
}

afterEach(() => void vi.useRealTimers())
afterAll(() => void vi.unstubAllGlobals())

describe('fillPath()', () => {
  it('keeps parameters of one name apart by their places', () => {
    expect(fillPath(operation, values)).toBe('/things/a%20path?id=a+query')
    expect(fillPath(operation, {})).toBe('/things/{id}')
  })
})

describe('sendRequest()', () => {
  it('sends headers, and reads an answer to its end however slow it is', async () => {
    vi.useFakeTimers()
    const asked = answerWith('{"a":1}', 'application/json')
    expect(await sendRequest('grid', operation, values, null)).toMatchObject({ status: 200, text: '{\n  "a": 1\n}' })
    expect(new Headers(asked[0]?.headers).get('id')).toBe('a header')
  })

  it('cuts an event stream after three seconds, and a long answer at 20,000 characters, and shows so', async () => {
    vi.useFakeTimers()
    answerWith('data: 1', 'text/event-stream', true)
    const stream = sendRequest('grid', operation, {}, null)
    await vi.advanceTimersByTimeAsync(3_000)
    expect((await stream).text).toBe('data: 1\n...')
    answerWith('x'.repeat(20_001), 'text/plain')
    expect((await sendRequest('grid', operation, {}, null)).text).toBe(`${'x'.repeat(20_000)}\n...`)
  })
})
