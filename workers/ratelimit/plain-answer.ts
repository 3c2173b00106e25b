/** Answers as plain values, and those of one line of text. */

/** An answer as plain values, without a type of any platform. */
export interface PlainAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The answer of Go's `http.Error`: one line of text that no browser takes for anything else. */
export function plainAnswer(status: number, line: string): PlainAnswer {
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' }
  return { status, headers, body: `${line}\n` }
}

/** The answer of `plainAnswer` as a Response, with further headers. */
export function plainError(status: number, line: string, more: PlainAnswer['headers'] = {}): Response {
  const answer = plainAnswer(status, line)
  return toResponse({ ...answer, headers: { ...answer.headers, ...more } })
}

/** Makes a Response of an answer. */
export function toResponse({ status, headers, body }: PlainAnswer): Response {
  return new Response(body, { status, headers })
}
