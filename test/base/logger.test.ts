/** The logger's levels: what LOG_LEVEL lets through, and what is written at every level. */

import { expect, test } from 'vitest'
import { createLogger } from '#base/logger.ts'
import { readSettings } from '#ratelimit/settings.ts'

function linesAt(environment: Readonly<Record<string, string>>): readonly string[] {
  const lines: string[] = []
  const logger = createLogger(readSettings(environment), {
    now: () => 0,
    print: (line, level) => lines.push(`${level}: ${line}`),
  })
  logger.error('failed', new Error('of this'))
  logger.warning('odd')
  logger.info('done')
  logger.audit('changed', { who: 'ann' })
  return lines
}

const time = 'time="1970-01-01T00:00:00Z"'

test('createLogger() writes warnings and errors by default, and audit lines always', () => {
  const all = [
    `error: ${time} level=error msg=failed error="of this"`,
    `warning: ${time} level=warning msg=odd`,
    `info: ${time} level=info msg=changed who=ann`,
  ]
  expect(linesAt({})).toEqual(all)
  expect(linesAt({ LOG_LEVEL: 'WARNING' })).toEqual(all)
  expect(linesAt({ LOG_LEVEL: 'error' })).toEqual([all[0], all[2]])
  expect(linesAt({ LOG_LEVEL: 'panic' })).toEqual([all[2]])
})

test('createLogger() adds info at LOG_LEVEL=info, and the stack of a failure at debug', () => {
  expect(linesAt({ LOG_LEVEL: 'info' })[2]).toBe(`info: ${time} level=info msg=done`)
  expect(linesAt({ LOG_LEVEL: 'info' })[0]).not.toContain('stack=')
  expect(linesAt({ LOG_LEVEL: 'debug' })[0]).toContain(' stack="Error: of this\\n')
})

test('createLogger() writes JSON with LOG_FORMAT=json, and text with anything else', () => {
  const [json = ''] = linesAt({ LOG_FORMAT: 'json' })
  expect(JSON.parse(json.slice(json.indexOf('{')))).toMatchObject({ '@message': 'failed', error: 'of this' })
  expect(linesAt({ LOG_FORMAT: 'JSON' })[1]).toContain(time)
})
