/** The worked requests of docs/grid.md, sent in their order, and their answers. */

import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningBundle, startBundle } from '../../support/bundle.ts'
import { gridToken } from '../../support/grid-service.ts'

const page = readFileSync(new URL('../../../docs/grid.md', import.meta.url), 'utf8')

/** One `curl` of the page. */
interface Request {
  readonly method: string
  /** Address with `$GRID` in it, or below the service's own. */
  readonly address: string
  readonly body: string | undefined
}

/** A block of requests, and what the page says that the last of them answers. */
const examples = [...page.matchAll(/```sh\n((?:curl [^\n]*\n)+)```\n\n```(json|text)\n([\s\S]*?)```/g)].map(
  ([, commands = '', kind = '', answer = '']) => {
    const requests = commands.trim().split('\n').map(readCommand)
    return { name: requests.map(({ address }) => address).join(', '), requests, kind, answer }
  },
)

function readCommand(command: string): Request {
  const body = / -d '([^']*)'/.exec(command)?.[1]
  const method = / -X (\w+)/.exec(command)?.[1] ?? (body === undefined ? 'GET' : 'POST')
  const address = /("?)((?:\$GRID|http:)[^\s"]*)\1/.exec(command.replace(/-d '[^']*'/, ''))?.[2] ?? ''
  return { method, address, body }
}

let bundle: RunningBundle
beforeAll(async () => {
  bundle = await startBundle({ worker: 'grid', rebuild: true, vars: { GRID_TOKEN: gridToken } })
})
afterAll(() => bundle?.stop())

function send({ method, address, body }: Request): Promise<Response> {
  const url = address
    .replace('$GRID', `${bundle.url}/simulations/drill/api/v1`)
    .replace('http://127.0.0.1:8080', bundle.url)
  const headers = { authorization: `Bearer ${gridToken}` }
  return fetch(url, { method, headers, ...(body === undefined ? {} : { body }) })
}

/** The first octets of a stream that does not end, or a whole answer. */
async function textOf(response: Response, enough: (text: string) => boolean): Promise<string> {
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  for (;;) {
    const part = await reader?.read()
    text += decoder.decode(part?.value, { stream: true })
    if (part === undefined || part.done || enough(text)) break
  }
  await reader?.cancel()
  return text
}

/** Keeps of a value what the page shows of it: named fields, first entries, and `…` for what differs. */
function shorten(value: unknown, shown: unknown): unknown {
  if (shown === '…') return '…'
  if (Array.isArray(shown)) {
    return Array.isArray(value) ? shown.map((item, index) => shorten(value[index], item)) : value
  }
  if (typeof shown !== 'object' || shown === null) {
    return typeof shown === 'string' && typeof value === 'string' ? shortenText(value, shown) : value
  }
  if (typeof value !== 'object' || value === null) return value
  const fields = value as Readonly<Record<string, unknown>>
  return Object.fromEntries(Object.entries(shown).map(([name, item]) => [name, shorten(fields[name], item)]))
}

/** A text as the page shows it where it fits: `…` stands for any characters. */
function shortenText(text: string, shown: string): string {
  const parts = shown.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`, 's').test(text) ? shown : text
}

describe('docs/grid.md', () => {
  it('has an example at the head of every section that has rules', () => {
    const sections = page.split(/^## /m).slice(1)
    const without = sections
      .filter((section) => section.includes('**G-'))
      .filter((section) => !/^[^\n]*\n\n```(sh|text)\n/.test(section))
    expect(without.map((section) => section.split('\n')[0])).toEqual([])
    expect(examples.length).toBeGreaterThanOrEqual(11)
  })

  it.each(examples)('$name', async ({ requests, kind, answer }) => {
    for (const request of requests.slice(0, -1)) {
      const response = await send(request)
      expect([request.address, response.status]).toEqual([request.address, 200])
      await response.body?.cancel()
    }
    const last = requests.at(-1)
    if (last === undefined) throw new Error('an example without a request')
    const response = await send(last)
    const lines = answer.trimEnd().split('\n')
    const text = await textOf(response, (read) => kind === 'text' && read.split('\n').length > lines.length)
    if (kind === 'json') {
      const shown: unknown = JSON.parse(answer)
      expect(shorten(JSON.parse(text), shown)).toEqual(shown)
      return
    }
    const read = text.split(/\r?\n/).slice(0, lines.length)
    expect(lines.map((line, index) => shortenText(read[index] ?? '', line))).toEqual(lines)
  })
})
