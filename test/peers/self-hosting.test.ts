/** The files of examples/self-hosting, checked by the programs that read them. */

import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { projectRoot } from '#bin/project.ts'
import { checkRules } from '../support/compile-rules.ts'
import { envoyProgram } from '../support/envoy.ts'
import { findProgram } from '../support/process.ts'

const folder = join(projectRoot, 'examples/self-hosting')
const read = (name: string) => readFileSync(join(folder, name), 'utf8')
const promtool = findProgram('promtool')

interface Service {
  readonly image?: string
  readonly cap_drop?: readonly string[]
  readonly security_opt?: readonly string[]
  readonly ports: readonly string[]
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
}

describe('examples/self-hosting', () => {
  it.skipIf(envoyProgram === null)('has an envoy.yaml that Envoy takes (skipped without envoy)', () => {
    const { status, stderr } = spawnSync(envoyProgram ?? '', ['--mode', 'validate', '-c', join(folder, 'envoy.yaml')], {
      encoding: 'utf8',
    })
    expect([status, stderr]).toEqual([0, expect.anything()])
  })

  it.skipIf(promtool === null)('has a prometheus.yml that promtool takes (skipped without promtool)', () => {
    const args = ['check', 'config', '--syntax-only', join(folder, 'prometheus.yml')]
    const { status, stderr } = spawnSync(promtool ?? '', args, { encoding: 'utf8' })
    expect([status, stderr]).toEqual([0, ''])
  })

  it('has rules that compile', () => {
    expect(checkRules([{ key: 'config.web.yaml', text: read('rules/web.yaml') }]).mistakes).toEqual([])
  })

  it('has a compose file with images of a version, no further rights, loopback ports and health before what needs it', () => {
    const { services } = parse(read('compose.yaml')) as { readonly services: Readonly<Record<string, Service>> }
    for (const [name, service] of Object.entries(services)) {
      expect(service.image ?? 'built here', name).toMatch(/^(built here|[\w./-]+:v\d+\.\d+\S*)$/)
      expect(service.cap_drop, name).toEqual(['ALL'])
      expect(service.security_opt, name).toEqual(['no-new-privileges:true'])
      expect(
        service.ports.filter((port) => !port.startsWith('127.0.0.1:')),
        name,
      ).toEqual([])
      if (name !== 'sluice') expect(service.depends_on?.sluice?.condition).toBe('service_healthy')
    }
  })

  it('has a compose file that mounts what a read-only root could not take as a copy, from a file outside of git', () => {
    const { configs } = parse(read('compose.yaml')) as {
      readonly configs: Readonly<Record<string, { readonly file?: string }>>
    }
    expect(Object.values(configs).map(({ file }) => file)).toEqual(['./token'])
    for (const name of ['.gitignore', '.dockerignore'])
      expect(readFileSync(join(projectRoot, name), 'utf8')).toContain('\nexamples/self-hosting/token\n')
    expect(read('prometheus.yml')).toContain('/etc/prometheus/token')
  })

  it('has a compose file in which no service can write its root, and every file that it mounts exists', () => {
    const { services } = parse(read('compose.yaml')) as {
      readonly services: Readonly<Record<string, { readonly read_only?: boolean; readonly volumes: readonly string[] }>>
    }
    expect(Object.keys(services)).toEqual(['sluice', 'envoy', 'prometheus'])
    for (const { read_only: isReadOnly, volumes } of Object.values(services)) {
      expect(isReadOnly).toBe(true)
      const mounted = volumes.map((volume) => volume.split(':')[0] ?? '').filter((path) => path.startsWith('./'))
      for (const path of mounted.filter((one) => /\.ya?ml$/.test(one))) expect(read(path)).not.toBe('')
    }
  })
})
