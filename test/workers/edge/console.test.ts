/** The console's paths of a built Worker: what browsers, programs and strangers get. */

import { describe, expect, it } from 'vitest'
import { bundleConsole } from '#bin/bundle-console.ts'
import { startBundle } from '../../support/bundle.ts'
import { host } from '../../support/host.ts'

const bundle = host(async () => {
  await bundleConsole()
  return startBundle({ worker: 'index', rebuild: true })
})

const html = { accept: 'text/html,application/xhtml+xml' }
const get = (path: string, init: RequestInit = {}) => fetch(bundle.url + path, init)

describe('answerConsole()', () => {
  it.each(['/', '/console', '/console/ratelimit/ask?domain=shop', '/docs/grid'])(
    'answers browsers at %s with the page, which may run only its own files',
    async (path) => {
      const response = await get(path, { headers: html })
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
      const policy = response.headers.get('content-security-policy') ?? ''
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'")
      expect(policy).not.toMatch(/unsafe|\*|https?:/)
      expect(response.headers.get('cache-control')).toBe('no-cache')
      const text = await response.text()
      expect(text).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=/)
    },
  )

  it('lets browsers keep its files for ever, because their names hold their hash', async () => {
    const page = await (await get('/console', { headers: html })).text()
    const files = [...page.matchAll(/(?:src|href)="(\/console\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '')
    // The icon, the style sheet, the script and what it imports.
    expect(files.length).toBeGreaterThan(3)
    for (const path of files) {
      expect(path).toMatch(/-[A-Z0-9]{8}\.(js|css|svg)$/)
      const response = await get(path)
      expect([response.status, response.headers.get('cache-control')]).toEqual([
        200,
        'public, max-age=31536000, immutable',
      ])
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
      await response.arrayBuffer()
    }
    expect((await get('/console/assets/main-AAAAAAAA.js')).status).toBe(404)
  })

  it('lists the services and their health without a token, and shows no setting', async () => {
    const response = await get('/console/surfaces.json')
    expect(response.headers.get('cache-control')).toBe('no-store')
    const { version, hasToken, surfaces } = await response.json()
    expect(hasToken).toBe(false)
    expect(version).toMatch(/^\d+\.\d+\.\d+$/)
    expect(surfaces.map(({ name }: { name: string }) => name)).toEqual(['ratelimit', 'grid', 'streamnet'])
  })

  it('answers programs at / with JSON', async () => {
    const { links } = await (await get('/')).json()
    expect(links.map(({ path }: { path: string }) => path)).toContain('/console')
  })

  it('refuses all but GET and HEAD, and has no session', async () => {
    const posted = await get('/console', { method: 'POST' })
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    expect((await get('/console/session', { method: 'POST', body: '{"code":"x"}' })).status).toBe(404)
    const head = await get('/console', { method: 'HEAD', headers: html })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })
})
