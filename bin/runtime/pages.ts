/** The Worker that implements the binding ASSETS: files of a folder, with their types. */

/** Its script. workerd's own disk service knows no types and lists folders. */
export const pagesScript = `const types = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  json: 'application/json',
  map: 'application/json',
  png: 'image/png',
  woff2: 'font/woff2',
}

const pages = {
  async fetch(request, { files }) {
    const { pathname } = new URL(request.url)
    // A name without an ending is that of a page.
    const path = /\\.[a-z0-9]+$/.test(pathname) ? pathname : pathname.replace(/\\/$/, '') + '.html'
    const file = await files.fetch(new Request('http://files' + path, { method: request.method }))
    if (file.status !== 200) return new Response(null, { status: 404 })
    const headers = { 'content-type': types[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream' }
    return new Response(file.body, { headers })
  },
}

export { pages as default }
`
