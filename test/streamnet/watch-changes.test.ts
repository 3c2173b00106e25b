import { describe, expect, test } from 'vitest'
import { encodeUtf8 } from '#base/utf8.ts'
import { withOptions } from '#streamnet/call-options.ts'
import { createClient } from '#streamnet/client.ts'
import { defaultPlatform } from '#streamnet/platform.ts'
import { watchChanges } from '#streamnet/watch-changes.ts'

const dataProvider = '0x7e5f4552091a69125d5dfcb7b8c2659029395bdf'
const streamId = `st${'0'.repeat(30)}`
const stream = { gateway: 'http://gateway.invalid/streamnet/v1/', token: 'read', dataProvider, streamId, from: 5 }

const change = (height: number, ...dates: readonly number[]) =>
  `event: records\nid: ${height}\ndata: ${JSON.stringify({ height, records: dates.map((date) => ({ date, value: `${date}.5` })) })}\n\n`

/** A body that sends text, and then ends or breaks. */
const sends =
  (text: string, end: 'ends' | 'breaks' = 'ends') =>
  () => {
    let isSent = false
    return new Response(
      new ReadableStream({
        pull(controller) {
          if (!isSent) controller.enqueue(encodeUtf8(text))
          else if (end === 'ends') controller.close()
          else controller.error(new TypeError('terminated'))
          isSent = true
        },
      }),
    )
  }
const refuses = (status: number, code: string) => () =>
  Response.json({ code, detail: `because of ${code}` }, { status })

/** A client whose connections follow a script; the one after its last ends the watch. */
function connect(...script: readonly (() => Response)[]) {
  const rest = [...script]
  const page = new AbortController()
  const asked: { readonly url: string; readonly headers: unknown }[] = []
  const fetch: typeof defaultPlatform.fetch = async (url, { headers }) => {
    asked.push({ url, headers })
    const next = rest.shift()
    if (next) return next()
    page.abort()
    throw new TypeError('fetch failed')
  }
  const platform = { ...defaultPlatform, fetch, sleep: async () => {} }
  const client = withOptions(createClient({ endpoint: 'http://node.invalid', platform }), { signal: page.signal })
  return { client, asked }
}

async function collect(client: Parameters<typeof watchChanges>[0], params = stream) {
  const heights: [number, number[]][] = []
  let code: unknown
  try {
    for await (const { height, records } of watchChanges(client, params)) {
      heights.push([height, records.map(({ date }) => date)])
    }
  } catch (error) {
    code = (error as { readonly code?: unknown }).code
  }
  return { heights, code }
}

describe('watchChanges()', () => {
  test('continues after the last change when a stream ends or breaks and when the gateway is overloaded or unreachable', async () => {
    const { client, asked } = connect(
      sends(`: hello\n\nretry: 3000\n\n${change(7)}${change(8, 10, 20)}`),
      refuses(429, 'too_many'),
      refuses(503, 'no_backend'),
      () => {
        throw new TypeError('fetch failed')
      },
      // The gateway sends again what was cut.
      sends(`${change(9, 30)}event: records\nid: 10\nda`, 'breaks'),
      sends(change(10, 30, 40)),
    )
    expect(await collect(client)).toEqual({
      heights: [
        [7, []],
        [8, [10, 20]],
        [9, [30]],
        [10, [30, 40]],
      ],
      code: 'aborted',
    })
    const url = `http://gateway.invalid/streamnet/v1/streams/${dataProvider}/${streamId}/events?from=5`
    const headers = { accept: 'text/event-stream', authorization: 'Bearer read' }
    const resumed = (id: string) => ({ url, headers: { ...headers, 'last-event-id': id } })
    expect(asked).toEqual([{ url, headers }, ...['8', '8', '8', '8', '9', '10'].map(resumed)])
  })

  test.each([
    ['unauthorized', 401, 'unauthenticated'],
    ['forbidden', 403, 'permission_denied'],
    ['not_found', 404, 'not_found'],
    ['invalid_params', 400, 'invalid_argument'],
    ['method_not_allowed', 405, 'action_failed'],
  ])('ends when the gateway answers %s', async (code, status, expected) => {
    const { client, asked } = connect(refuses(status, code))
    expect(await collect(client)).toEqual({ heights: [], code: expected })
    expect(asked).toHaveLength(1)
  })

  test('ends with what the gateway says in the stream, and with an event that is not a change', async () => {
    const problem = 'event: problem\ndata: {"code":"permission_denied","message":"private now"}\n\n'
    expect(await collect(connect(sends(change(1) + problem)).client)).toEqual({
      heights: [[1, []]],
      code: 'permission_denied',
    })
    for (const data of ['{', '[]', '{"height":1}', '{"height":1,"records":[{"date":"1","value":"2"}]}']) {
      const { client } = connect(sends(`event: records\nid: 1\ndata: ${data}\n\n`))
      expect([data, (await collect(client)).code]).toEqual([data, 'malformed_response'])
    }
  })

  test('sends nothing for a malformed stream or gateway, or after its end', async () => {
    const { client, asked } = connect()
    expect((await collect(client, { ...stream, streamId: 'cpi' })).code).toBe('invalid_argument')
    expect((await collect(client, { ...stream, gateway: 'gateway' })).code).toBe('invalid_argument')
    const ended = withOptions(client, { signal: AbortSignal.abort() })
    expect((await collect(ended)).code).toBe('aborted')
    expect(asked).toEqual([])
  })
})
