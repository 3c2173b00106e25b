/** `docs/settings.md` and `.dev.vars.example`, made of the tables of settings. */

import type { Variable } from '#base/variables.ts'
import { ignoredSettings } from '#ratelimit/setting-table/ignored.ts'
import { type SettingsSection, sections } from './sections.ts'

const withoutEffect = 'Settings without effect'

/** Writes `docs/settings.md`. */
export function settingsPage(): string {
  return [
    '# Settings',
    '',
    'Made from the tables in `src` by `npm run settings`; `test/bin/settings.test.ts` holds it in step. `sluice doctor` prints what is in force and where it came from. An option of `sluice start` wins, then `--var NAME=VALUE`, then the environment variable; a deployment has them in `wrangler.toml`, secrets by `npx wrangler secret put NAME`. Durations are shown in milliseconds and written as `10s`, `150ms` or `1h30m`.',
    '',
    ...[...sections.map(({ title }) => title), withoutEffect].map(
      (title) => `- [${title}](#${title.toLowerCase().replaceAll(' ', '-')})`,
    ),
    ...sections.flatMap(sectionLines),
    '',
    `## ${withoutEffect}`,
    '',
    'The rate limit service knows these names of the reference and does not read their values:',
    '',
    ...ignoredSettings.map(({ why, names }) => `- ${names.map((name) => `\`${name}\``).join(', ')}: ${why}`),
    '',
  ].join('\n')
}

function sectionLines({ title, table, texts }: SettingsSection): readonly string[] {
  const rows = Object.entries(table).map(([name, row]) => {
    const names = [name, ...row.aliases].map((spelling) => `\`${spelling}\``).join(' ')
    return `| ${names} | ${texts[name]}${writeNote(row)} | ${row.expected} | ${showDefault(row)} |`
  })
  return ['', `## ${title}`, '', '| name | what | value | default |', '| --- | --- | --- | --- |', ...rows]
}

/** Says in brackets that a row is a secret, or works only on this machine; empty for every other row. */
function writeNote(row: Variable<unknown>): string {
  const effect: unknown = 'effect' in row ? row.effect : undefined
  const notes = [
    ...(row.isSecret ? ['secret'] : []),
    ...(effect === 'local' ? ['`npm start` and commands only'] : []),
    ...(effect === 'relayed' ? ['`npm start` only'] : []),
  ]
  return notes.length === 0 ? '' : ` (${notes.join('; ')})`
}

/** A default in words. */
export function showDefault({ fallback, fallbackText }: Variable<unknown>): string {
  if (fallback === '' || fallback === undefined) return 'empty'
  if (fallbackText !== undefined) return `\`${fallbackText}\``
  if (fallback instanceof Map || Array.isArray(fallback)) return 'none'
  return `\`${String(fallback)}\``
}

/** The settings that a first `wrangler dev` needs, with values for this machine only. */
const exampleValues: Readonly<Record<string, string>> = {
  RATELIMIT_RULES: '{domain: shop, descriptors: [{key: login, rate_limit: {unit: minute, requests_per_unit: 5}}]}',
  ADMIN_TOKEN: 'change-me-operator-token',
  GRID_TOKEN: 'change-me-grid-token',
  STREAMNET_TOKEN: 'change-me-gateway-token',
  STREAMNET_PRIVATE_KEY: '1'.padStart(64, '0'),
  STREAMNET_DEVELOPMENT: 'true',
  STREAMNET_SEED_NETWORK: 'true',
}

/** Writes `.dev.vars.example`: the settings of `exampleValues`, and every other secret as a comment. */
export function devVarsExample(): string {
  const lines = sections.flatMap(({ table, texts }) =>
    Object.entries(table).flatMap(([name, { isSecret }]) => {
      const value = exampleValues[name]
      if (value !== undefined) return ['', `# ${texts[name]}`, `${name}=${value}`]
      return isSecret ? ['', `# ${texts[name]}`, `# ${name}=`] : []
    }),
  )
  return [
    '# Settings of `npx wrangler dev`: copy this file to .dev.vars, which git ignores. Made by `npm run settings`.',
    '# The values are for this machine only: a deployment gets its own by `npx wrangler secret put NAME`.',
    ...lines,
    '',
  ].join('\n')
}
