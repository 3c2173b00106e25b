/** The source of a start's rules; the example rules never in place of an operator's. */

import { describe, expect, it } from 'vitest'
import { configurationSource, readConfiguration } from '#bin/start/configuration.ts'
import { settingTable } from '#ratelimit/setting-table.ts'
import { readSettings } from '#ratelimit/settings.ts'
import { makeFolder } from '../support/folder.ts'

const empty = makeFolder()

const source = (vars: Readonly<Record<string, string>>, config: string | null = null) =>
  configurationSource({ config, vars }, readSettings(vars))

describe('configurationSource()', () => {
  it('is the example only where no folder and no RUNTIME_ setting is given', () => {
    expect(source({}).kind).toBe('example')
    expect(source({ RUNTIME_SUBDIRECTORY: '' }).kind).toBe('example')
    expect(source({ RUNTIME_WATCH_ROOT: 'false' })).toMatchObject({
      kind: 'runtime',
      directory: { directory: '/srv/runtime_data/current/config' },
    })
  })

  it.each(Object.keys(settingTable).filter((name) => name.startsWith('RUNTIME_')))(
    'never is the example with %s',
    (name) => {
      const kind = () => source({ [name]: 'true' }).kind
      const isNamed = name === 'RUNTIME_SUBDIRECTORY'
      if (isNamed) expect(kind()).toBe('runtime')
      else expect(kind).toThrow(`Cannot start: ${name} without a directory of rules, expected RUNTIME_ROOT and`)
      expect(source({ [name]: 'true' }, empty).kind).toBe('named')
    },
  )
})

describe('readConfiguration()', () => {
  it('refuses a named folder without files, and takes an empty runtime directory', async () => {
    await expect(readConfiguration(source({}, empty), { mergeDomains: false })).rejects.toThrow(
      `Cannot start: --config is "${empty}", which has no files, expected rules in it`,
    )
    const runtime = source({ RUNTIME_ROOT: empty, RUNTIME_SUBDIRECTORY: '.' })
    expect(await readConfiguration(runtime, { mergeDomains: false })).toEqual([])
    const missing = source({ RUNTIME_ROOT: empty, RUNTIME_WATCH_ROOT: 'false' })
    await expect(readConfiguration(missing, { mergeDomains: false })).rejects.toThrow('expected a folder')
  })
})
