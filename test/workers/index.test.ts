/** The Worker with all services: what it answers where none of them is. */

import { describe, expect, it } from 'vitest'
import { startBundle } from '../support/bundle.ts'
import { host } from '../support/host.ts'

const bundle = host(() => startBundle({ worker: 'index', rebuild: true }))

describe('the Worker with all services', () => {
  it.each(['/', '/nothing', '/nothing/below/it', '/simulations'])(
    'answers OPTIONS of %s as the grid does on any path: 204, its methods and every origin',
    async (path) => {
      const response = await fetch(bundle.url + path, { method: 'OPTIONS' })
      expect(response.status).toBe(204)
      expect(response.headers.get('access-control-allow-methods')).toBe('GET, POST, OPTIONS')
      expect(response.headers.get('access-control-allow-headers')).toBe('Authorization, Content-Type')
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
    },
  )

  it('says what is here to who asks for a path of none', async () => {
    const response = await fetch(`${bundle.url}/nothing`)
    expect([response.status, await response.text()]).toEqual([404, expect.stringContaining('Not found')])
  })
})
