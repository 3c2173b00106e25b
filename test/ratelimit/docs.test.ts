/** docs/ratelimit.md says of every setting what the table of settings says. */

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ignoredSettings } from '#ratelimit/setting-table/ignored.ts'
import type { SettingRow } from '#ratelimit/setting-table/setting-row.ts'
import { type SettingName, settingTable } from '#ratelimit/setting-table.ts'

const page = readFileSync(new URL('../../docs/ratelimit.md', import.meta.url), 'utf8')

function rowOf(name: SettingName): string {
  const { aliases, fallback, fallbackText, effect, isSecret }: SettingRow<unknown> = settingTable[name]
  const spellings = [name, ...aliases].map((spelling) => `\`${spelling}\``).join(' ')
  const does =
    effect === 'honoured'
      ? 'honoured'
      : effect === 'local'
        ? 'honoured by the local server and the command line; the platform decides in a deployed Worker'
        : 'honoured by `npm start` through its relay; an error in a deployed Worker'
  return `| ${spellings} | ${shown(fallbackText ?? fallback)} | ${does}${isSecret ? ' (secret)' : ''} |`
}

function shown(fallback: unknown): string {
  if (fallback === '') return 'empty'
  if (fallback instanceof Map || Array.isArray(fallback)) return 'none'
  return `\`${String(fallback)}\``
}

test('docs/ratelimit.md has one row for every setting, and no other', () => {
  const rows = page.split('\n').filter((line) => /^\| `[A-Z]/.test(line))
  expect(rows).toEqual((Object.keys(settingTable) as SettingName[]).map(rowOf))
})

test('docs/ratelimit.md lists the settings without effect, each with its reason', () => {
  for (const { why, names } of ignoredSettings) {
    expect(page).toContain(`- ${names.map((name) => `\`${name}\``).join(', ')}: ${why}\n`)
  }
})

test('docs/ratelimit.md numbers its rules without a gap', () => {
  const numbers = [...page.matchAll(/^\*\*R(\d+)\*\*/gm)].map((match) => Number(match[1]))
  expect(numbers.length).toBeGreaterThan(40)
  expect(numbers).toEqual(numbers.map((_, at) => at + 1))
})
