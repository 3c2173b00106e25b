/** `GET /` of a surface that is deployed without the others: what it is and where to go on. It holds no state. */

import { version } from '#base/version.ts'

/** Content of the page. */
export interface FrontPage {
  readonly name: string
  /** One sentence. */
  readonly about: string
  readonly links: readonly { readonly path: string; readonly about: string }[]
}

/** Tells if a request asks for a page, as browsers do. */
export function isBrowser({ headers }: Request): boolean {
  return (headers.get('accept') ?? '').includes('text/html')
}

/** Answers with HTML to browsers, and with JSON to others. */
export function answerFrontPage(request: Request, page: FrontPage): Response {
  const headers = { 'cache-control': 'public, max-age=300', 'x-content-type-options': 'nosniff', vary: 'accept' }
  if (!isBrowser(request)) return Response.json({ ...page, version }, { headers })
  return new Response(writeHtml(page), {
    headers: {
      ...headers,
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'",
    },
  })
}

/** The texts are ours and hold nothing that HTML reads otherwise. */
function writeHtml({ name, about, links }: FrontPage): string {
  const items = links.map(({ path, about }) => `<li><a href="${path}">${path}</a>: ${about}</li>`)
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${name}</title>
<h1>${name}</h1>
<p>${about} Version ${version}.</p>
<ul>
${items.join('\n')}
</ul>
</html>
`
}
