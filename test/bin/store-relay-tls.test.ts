/** The files of a store relay: what is wrong with one is said in one line, before anything listens. */

import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { readRelayTls } from '#bin/store-relay/tls.ts'
import type { StoreTls } from '#ratelimit/store-connections.ts'
import { type Authority, type CertificateFiles, makeAuthority, openssl } from '../support/certificates.ts'
import { makeFolder } from '../support/folder.ts'
import { freePort } from '../support/process.ts'
import { onlyPort, startSluice } from '../support/start.ts'

const folder = makeFolder()

describe.skipIf(openssl === null)('readRelayTls() (skipped without openssl)', () => {
  let authority: Authority
  let own: CertificateFiles
  const missing = join(folder, 'missing.pem')
  const words = join(folder, 'words.pem')

  beforeAll(() => {
    authority = makeAuthority(folder, 'authority')
    own = authority.sign('own')
    writeFileSync(words, 'no certificate\n')
  })

  const read = (changes: Partial<StoreTls>) =>
    readRelayTls({
      prefix: 'REDIS',
      certificate: own.certificate,
      key: own.key,
      authority: authority.certificate,
      acceptsAnyName: false,
      ...changes,
    })

  it('takes files that belong together', () => {
    expect(read({}).acceptsAnyName).toBe(false)
    expect(read({ certificate: '', key: '', prefix: 'MEMCACHE', acceptsAnyName: true })).toMatchObject({
      acceptsAnyName: true,
    })
  })

  it.each([
    ['a missing authority', () => ({ authority: missing }), 'REDIS_TLS_CACERT is ".*missing.pem" .ENOENT., expected'],
    ['a folder', () => ({ authority: folder }), 'REDIS_TLS_CACERT is ".*" .EISDIR., expected a file'],
    [
      'an authority of words',
      () => ({ authority: words }),
      'REDIS_TLS_CACERT is ".*", expected .* certificates in PEM',
    ],
    ['a key as the authority', () => ({ authority: own.key }), 'REDIS_TLS_CACERT is ".*", expected .* certificates'],
    ['a certificate of words', () => ({ certificate: words }), 'REDIS_TLS_CLIENT_CERT is ".*", expected .* in PEM'],
    ['a key of words', () => ({ key: words }), 'REDIS_TLS_CLIENT_KEY: ".*" holds no private key'],
    [
      'the key of another',
      () => ({ key: authority.key }),
      'REDIS_TLS_CLIENT_KEY: ".*" is not the key of the certificate',
    ],
  ])('refuses %s', (_, changes, message) => {
    expect(() => read(changes())).toThrow(new RegExp(`^Cannot start: ${message}[^\n]*$`))
  })
})

describe('npm start', () => {
  it('ends with one line, and has made nothing, when a file of a store is missing', async () => {
    const persist = join(folder, 'state')
    const program = startSluice(['--persist', persist, ...onlyPort(await freePort())], {
      BACKEND_TYPE: 'redis',
      REDIS_TLS: 'true',
      REDIS_SOCKET_TYPE: 'tcp',
      REDIS_URL: 'localhost:1',
      REDIS_TLS_CACERT: '/missing.pem',
    })
    expect(await program.ended()).toBe(1)
    expect(existsSync(persist)).toBe(false)
    const lines = program
      .output()
      .split('\n')
      .filter((line) => line.includes('Cannot start'))
    expect(lines).toEqual([
      'Cannot start: REDIS_TLS_CACERT is "/missing.pem" (ENOENT), expected a file that can be read',
    ])
  })
})
