/** The greeting of a start: tokens, and addresses that can be asked. */

import { spawnSync } from 'node:child_process'
import { describe, expect, it, onTestFinished } from 'vitest'
import { greeting } from '#bin/start/greeting.ts'
import { parseStartOptions, type StartOptions } from '#bin/start/options.ts'
import { loadSecrets } from '#bin/start/secrets.ts'
import { makeFolder } from '../support/folder.ts'

const optionsOf = (...args: readonly string[]): StartOptions => {
  const options = parseStartOptions(args)
  if (options === null) throw new Error('no options')
  return options
}

const placement = { placement: 'shard', reason: 'new' } as const

describe('greeting()', () => {
  it('shows tokens at the first start, and later the commands that read them', () => {
    const folder = makeFolder(onTestFinished)
    const first = loadSecrets(folder)
    expect(greeting(optionsOf(), first, placement, 'code')).toContain(`export GRID_TOKEN=${first.values.GRID_TOKEN}\n`)
    const later = greeting(optionsOf(), loadSecrets(folder), placement, 'code')
    for (const name of ['ADMIN_TOKEN', 'GRID_TOKEN', 'STREAMNET_TOKEN'] as const) {
      expect(later).not.toContain(first.values[name])
      const command = new RegExp(`^ {2}(export ${name}=.*)$`, 'm').exec(later)?.[1]
      const { stdout } = spawnSync('sh', ['-c', `${command}; echo "$${name}"`], { encoding: 'utf8' })
      expect(stdout.trim()).toBe(first.values[name])
    }
  })

  it('shows no token that is not in force, because another one was given', () => {
    const folder = makeFolder(onTestFinished)
    const given = optionsOf('--var', 'GRID_TOKEN=a-token-of-a-person', '--var', 'ADMIN_TOKEN=another-of-a-person')
    const first = loadSecrets(folder)
    const texts = [first, loadSecrets(folder)].map((secrets) => greeting(given, secrets, placement, 'code'))
    for (const text of texts) {
      expect(text).not.toContain(first.values.GRID_TOKEN)
      expect(text).not.toMatch(/export (GRID|ADMIN)_TOKEN/)
      expect(text).toContain('Bearer $GRID_TOKEN')
      expect(text).toContain('GRID_TOKEN is given by --var or the environment.\n')
      expect(text).toContain('export STREAMNET_TOKEN=')
      expect(text).not.toContain('of-a-person')
    }
  })

  it('gives addresses that can be asked', () => {
    const folder = makeFolder(onTestFinished)
    const secrets = loadSecrets(folder)
    const base = (host: string) =>
      /runs on (\S+)/.exec(greeting(optionsOf('--host', host), secrets, placement, 'code'))?.[1]
    expect(['0.0.0.0', '::1', '127.0.0.2'].map(base)).toEqual([
      'http://127.0.0.1:8080',
      'http://[::1]:8080',
      'http://127.0.0.2:8080',
    ])
  })
})
