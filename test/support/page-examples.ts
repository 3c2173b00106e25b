/** The worked requests of a page of docs: read from its blocks, and compared with what a service answers. */

import { expect } from 'vitest'

/** One `curl` of a page. */
export interface PageRequest {
  readonly method: string
  /** As the page writes it, variables included. */
  readonly address: string
  readonly body: string | undefined
}

/** Origin of `npm start`, as the pages write it. */
export const pageOrigin = 'http://127.0.0.1:8080'

/** A block of requests, and what the page says that the last of them answers. */
export interface PageExample {
  readonly name: string
  readonly requests: readonly PageRequest[]
  /** `json`, or `text` of which the page shows the first lines. */
  readonly kind: string
  readonly answer: string
}

/** Reads every block of `curl` commands that is followed by an answer. */
export function readExamples(page: string): readonly PageExample[] {
  const blocks = page.matchAll(/```sh\n((?:curl [^\n]*\n)+)```\n\n```(json|text)\n([\s\S]*?)```/g)
  return [...blocks].map(([, commands = '', kind = '', answer = '']) => {
    const requests = commands.trim().split('\n').map(readCommand)
    return { name: requests.map(nameOf).join(', '), requests, kind, answer }
  })
}

/** The method of a JSON-RPC call, which all have one address, or the address of another request. */
function nameOf({ address, body = '' }: PageRequest): string {
  return /"method":"([\w.]+)"/.exec(body)?.[1] ?? address
}

function readCommand(command: string): PageRequest {
  const body = / -d '([^']*)'/.exec(command)?.[1]
  const method = / -X (\w+)/.exec(command)?.[1] ?? (body === undefined ? 'GET' : 'POST')
  const address = /("?)((?:\$[A-Z]+|http:)[^\s"]*)\1/.exec(command.replace(/-d '[^']*'|-H "[^"]*"/g, ''))?.[2] ?? ''
  return { method, address, body }
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

/**
 * Sends requests of a page to a server.
 *
 * @param bases - What the page's variables and its own origin are on that server, asked for at each request.
 * @param headers - Sent with every request.
 */
export function pageSender(
  bases: () => Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>>,
): (request: PageRequest) => Promise<Response> {
  return ({ method, address, body }) => {
    const url = Object.entries(bases()).reduce((text, [name, base]) => text.replace(name, base), address)
    return fetch(url, { method, headers, ...(body === undefined ? {} : { body }) })
  }
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

/** A text as the page shows it where it fits: `…` means any characters. */
function shortenText(text: string, shown: string): string {
  const parts = shown.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`, 's').test(text) ? shown : text
}

/** Expects of a text that it is JSON with everything that a page shows of it. */
export function expectShown(text: string, answer: string): void {
  const shown: unknown = JSON.parse(answer)
  expect(shorten(JSON.parse(text), shown)).toEqual(shown)
}

/** Sends the requests of an example in their order, and expects the answer of the last to be what the page shows. */
export async function expectExample(
  { requests, kind, answer }: PageExample,
  send: (request: PageRequest) => Promise<Response>,
): Promise<void> {
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
  if (kind === 'json') return expectShown(text, answer)
  const read = text.split(/\r?\n/).slice(0, lines.length)
  expect(lines.map((line, index) => shortenText(read[index] ?? '', line))).toEqual(lines)
}
