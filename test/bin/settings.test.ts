/** The page and the example of settings are what the tables say. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { variableNames } from '#base/variables.ts'
import { projectRoot } from '#bin/project.ts'
import { devVarsExample, settingsPage } from '#bin/settings/page.ts'
import { sections } from '#bin/settings/sections.ts'
import { gatherSettings } from '#bin/start/environment.ts'

const read = (path: string) => readFileSync(join(projectRoot, path), 'utf8')

describe('npm run settings', () => {
  it('has been run since the tables changed', () => {
    expect(read('docs/settings.md')).toBe(settingsPage())
    expect(read('.dev.vars.example')).toBe(devVarsExample())
  })

  it('names every setting of every surface and its other spellings', () => {
    const page = settingsPage()
    const missing = sections.flatMap(variableNames).filter((name) => !page.includes(`\`${name}\``))
    expect(missing).toEqual([])
    expect(page).not.toContain('undefined')
  })

  it('makes an example that can be read as settings, and that git lets in beside the files it keeps out', () => {
    const given = Object.fromEntries(
      devVarsExample()
        .split('\n')
        .filter((line) => /^\w+=/.test(line))
        .map((line) => line.split('=') as [string, string]),
    )
    expect(Object.keys(given)).toContain('GRID_TOKEN')
    expect(gatherSettings(given, {}).vars).toEqual(given)
    expect(read('.gitignore')).toMatch(/^\.dev\.vars\*\n!\.dev\.vars\.example$/m)
  })
})
