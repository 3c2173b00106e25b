/** Settings of a start: their sources, and refusals before anything listens. */

import { describe, expect, it } from 'vitest'
import { gatherSettings } from '#bin/start/environment.ts'

const mistakes = (given: Record<string, string>, environment: NodeJS.ProcessEnv = {}) => {
  try {
    gatherSettings(given, environment)
  } catch (error) {
    return error instanceof Error ? error.message.split('\n') : []
  }
  return []
}

describe('gatherSettings()', () => {
  it('takes known names of the environment, and an option before every spelling of its variable', () => {
    const environment = { PATH: '/bin', NODE_ENV: 'test', KVSTORE_URL: 'a:1', SHADOW_MODE: 'true', GRID_AUTH: 'off' }
    const { vars, warnings } = gatherSettings({ REDIS_URL: 'b:2', GRID_AUTH: 'on' }, environment)
    expect(vars).toEqual({ SHADOW_MODE: 'true', REDIS_URL: 'b:2', GRID_AUTH: 'on' })
    expect(warnings).toEqual([])
  })

  it('takes an empty secret of the environment for one that the first start makes, and no other empty one', () => {
    const empty = { ADMIN_TOKEN: '', GRID_TOKEN: '', STREAMNET_TOKEN: '', STREAMNET_PRIVATE_KEY: '' }
    expect(gatherSettings({}, { ...empty, REDIS_AUTH: '' }).vars).toEqual({ REDIS_AUTH: '' })
    expect(mistakes({}, { CALLER_TOKENS: '' })).toEqual([expect.stringContaining('CALLER_TOKENS')])
  })

  it.each([
    [{ STREAMNET_PROFILE: 'foo' }, 'STREAMNET_PROFILE is "foo", expected seed or head'],
    [{ GRID_RELAYS: 'abc' }, 'GRID_RELAYS is "abc", expected a whole number'],
    [{ GRID_AUTH: 'of' }, 'GRID_AUTH is "of", expected 1, t, true, on, 0, f, false or off, perhaps off'],
    [{ STREAMNET_TOKENS: '{}' }, 'STREAMNET_TOKENS: it is not a list'],
    [{ GRID_RELAY: '2' }, '--var GRID_RELAY is not a setting, perhaps GRID_RELAYS'],
    [{ FOO: '1' }, '--var FOO is not a setting, docs/settings.md lists them'],
  ])('refuses the option %j with one line', (given, line) => {
    expect(mistakes(given)).toEqual([expect.stringContaining(line)])
  })

  it('reports all mistakes at once', () => {
    expect(mistakes({ GRID_AUTH: 'of', STREAMNET_PROFILE: 'foo', NEAR_LIMIT_RATIO: '7' })).toHaveLength(3)
  })

  it('refuses a slip in a name with a prefix of ours, warns of others, and is silent about the rest', () => {
    expect(mistakes({}, { STREAMNET_PROFLE: 'head' })).toEqual([
      'Cannot read settings: STREAMNET_PROFLE is not a setting, perhaps STREAMNET_PROFILE',
    ])
    const foreign = { REDIS_HOST: 'x', REDIS_PORT: 'tcp://10.0.0.1:6379', GRID_PORT: 'tcp://10.0.0.2:80' }
    expect(gatherSettings({}, foreign).warnings).toEqual([])
    expect(gatherSettings({}, { NEAR_LIMT_RATIO: '1' }).warnings).toEqual([
      'Cannot read settings: NEAR_LIMT_RATIO is not a setting, perhaps NEAR_LIMIT_RATIO',
    ])
  })
})
