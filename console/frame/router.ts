/** The address of the view: every view has one, and a link inside the console changes it without loading a page. */

import { signal } from '@preact/signals'

/** An address without its origin. */
export interface Route {
  readonly path: string
  readonly query: URLSearchParams
}

/** Where the person is; components that read its value follow it. */
export const route = signal<Route>(readAddress())

/** Goes to an address of this console, such as `/console/ratelimit?domain=shop`. */
export function navigate(address: string, how: 'push' | 'replace' = 'push'): void {
  if (how === 'push') history.pushState(null, '', address)
  else history.replaceState(null, '', address)
  route.value = readAddress()
}

/** Sets or, with null, removes parameters of the query; the view stays. */
export function setQuery(changes: Readonly<Record<string, string | null>>): void {
  const query = new URLSearchParams(route.peek().query)
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) query.delete(name)
    else query.set(name, value)
  }
  const text = query.toString()
  navigate(route.peek().path + (text === '' ? '' : `?${text}`), 'replace')
}

/** Follows the browser's history, and links to views of the console. */
export function startRouter(): void {
  addEventListener('popstate', () => {
    route.value = readAddress()
  })
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null
    const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey
    if (link === null || !isPlain || link.target !== '' || link.hasAttribute('download')) return
    if (link.origin !== location.origin || !isView(link.pathname)) return
    event.preventDefault()
    navigate(link.pathname + link.search)
  })
}

function isView(path: string): boolean {
  return path === '/' || /^\/(console|docs)(\/|$)/.test(path)
}

function readAddress(): Route {
  const path = location.pathname.replace(/(?<=.)\/+$/, '')
  return { path, query: new URLSearchParams(location.search) }
}
