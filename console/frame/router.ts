/** Routing by the address: every view has its own, and a link inside the console opens one without loading a page. */

import { signal } from '@preact/signals'
import { closePartEntry, followHistory, openPartEntry, pushEntry, replaceEntry, replaceView } from './back.ts'

/** An address without its origin. */
export interface Route {
  readonly path: string
  readonly query: URLSearchParams
}

/** The address of the view; components that read its value follow it. */
export const route = signal<Route>(readAddress())

function go(address: string, makeEntry: (address: string) => void): void {
  makeEntry(address)
  route.value = findRoute(address)
}

/** Goes to an address of this console, such as `/console/ratelimit?domain=shop`. */
export function navigate(address: string, how: 'push' | 'replace' = 'push'): void {
  go(address, how === 'push' ? pushEntry : replaceView)
}

/** Parameters of the query with their new values; null removes one. */
type Changes = Readonly<Record<string, string | null>>

/** Sets parameters of the query in the same entry of the history. */
export function setQuery(changes: Changes): void {
  go(hrefWith(changes), replaceEntry)
}

/** Sets parameters that open a part of the view, which Back closes; a part that is open gives way. */
export function openPart(changes: Changes): void {
  go(hrefWith(changes), openPartEntry)
}

/** Sets parameters that close the part; other changes of the query since it opened stay. */
export function closePart(changes: Changes): void {
  go(hrefWith(changes), closePartEntry)
}

/** The address of the view with changes in its query; a link to it with `data-part` opens a part. */
export function hrefWith(changes: Changes): string {
  const query = new URLSearchParams(route.value.query)
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) query.delete(name)
    else query.set(name, value)
  }
  const text = query.toString()
  return route.value.path + (text === '' ? '' : `?${text}`)
}

/** Follows the browser's history, and links to views of the console. */
export function startRouter(): void {
  followHistory(() => {
    route.value = readAddress()
  })
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null
    const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey
    if (link === null || !isPlain || link.target !== '' || link.hasAttribute('download')) return
    if (link.origin !== location.origin || !isView(link.pathname)) return
    event.preventDefault()
    go(link.pathname + link.search, link.hasAttribute('data-part') ? openPartEntry : pushEntry)
  })
}

function isView(path: string): boolean {
  return path === '/' || /^\/(console|docs)(\/|$)/.test(path)
}

function readAddress(): Route {
  return findRoute(location.pathname + location.search)
}

function findRoute(address: string): Route {
  const [path = '', query = ''] = address.split(/\?(.*)/s)
  return { path: path.replace(/(?<=.)\/+$/, ''), query: new URLSearchParams(query) }
}
