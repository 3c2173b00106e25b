import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { bundleWorkers } from '#bin/bundle-workers.ts'
import { makeFolder } from '../support/folder.ts'
import { findProgram, freePort, startProgram, waitForPort } from '../support/process.ts'
import { startRatelimit } from '../support/ratelimit-bundle.ts'

const openssl = findProgram('openssl')
const redisServer = findProgram('redis-server')

describe.skipIf(openssl === null || redisServer === null)(
  'Redis over TLS (skipped without redis-server and openssl)',
  () => {
    it('counts behind a certificate that the runtime trusts, and refuses one it does not', async () => {
      const folder = makeFolder(onTestFinished)
      const certificate = makeCertificate(folder, 'trusted')
      makeCertificate(folder, 'unknown')
      // Read at each start of the runtime; a deployment trusts public authorities only.
      vi.stubEnv('NODE_EXTRA_CA_CERTS', certificate)
      onTestFinished(() => void vi.unstubAllEnvs())
      await bundleWorkers(['ratelimit'])
      const trusted = await startTlsRedis(folder, 'trusted')
      const unknown = await startTlsRedis(folder, 'unknown')
      const rules = {
        'config.shop.yaml':
          'domain: shop\ndescriptors: [{ key: k, rate_limit: { unit: day, requests_per_unit: 5 } }, { key: second, rate_limit: { unit: second, requests_per_unit: 5 } }]',
      }
      const vars = (port: number) => ({
        BACKEND_TYPE: 'redis',
        REDIS_SOCKET_TYPE: 'tcp',
        REDIS_TLS: 'true',
        REDIS_TIMEOUT: '3s',
        REDIS_URL: `localhost:${port}`,
      })
      const perSecond = {
        REDIS_PERSECOND: 'true',
        REDIS_PERSECOND_SOCKET_TYPE: 'tcp',
        REDIS_PERSECOND_TLS: 'true',
        REDIS_PERSECOND_URL: `localhost:${trusted.port}`,
      }
      const service = await startRatelimit({ vars: { ...vars(trusted.port), ...perSecond } }, rules)
      const { statuses } = await service.decide('shop', [[['k', 'v']], [['second', 'v']]])
      expect(statuses?.map(({ limitRemaining }) => limitRemaining)).toEqual([4, 4])
      await service.stop()
      const refused = await startRatelimit({ vars: vars(unknown.port) }, rules)
      expect((await refused.decide('shop', [[['k', 'v']]])).status).toBe(400)
      await refused.stop()
      await Promise.all([trusted.program.stop(), unknown.program.stop()])
    })
  },
)

/** Makes a self-signed certificate for localhost and returns its path. */
function makeCertificate(folder: string, name: string): string {
  const [key, certificate] = [join(folder, `${name}.key`), join(folder, `${name}.crt`)]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
  const kind = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2']
  execFileSync(openssl ?? 'openssl', [...kind, '-keyout', key, '-out', certificate, ...subject], { stdio: 'ignore' })
  return certificate
}

async function startTlsRedis(folder: string, name: string) {
  const port = await freePort()
  const files = ['--tls-cert-file', join(folder, `${name}.crt`), '--tls-key-file', join(folder, `${name}.key`)]
  const options = ['--port', '0', '--tls-port', String(port), '--tls-auth-clients', 'no', '--save', '', '--dir', folder]
  const program = startProgram(redisServer ?? 'redis-server', [...options, ...files])
  await waitForPort(port, program)
  return { port, program }
}
