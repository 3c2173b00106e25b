/** README and the task pages: their links, and their commands from a clone. */

import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { projectRoot } from '#bin/project.ts'
import { makeFolder } from '../support/folder.ts'
import {
  type CommandPlace,
  expectCommand,
  readCommands,
  startForCommands,
  taskPages,
} from '../support/page-commands.ts'
import { findProgram, type RunningProgram } from '../support/process.ts'
import { startSluice } from '../support/start.ts'

const pages = taskPages.map((path) => {
  const text = readFileSync(join(projectRoot, path), 'utf8')
  const links = [...text.matchAll(/\]\(((?!https?:)[^)#]+)[^)]*\)/g)].map((match) => match[1] ?? '')
  return { path, commands: readCommands(path), links }
})

describe.each(pages)('$path', ({ path, links }) => {
  it('links to files that exist', () => {
    const missing = links.filter((link) => !existsSync(join(projectRoot, dirname(path), link)))
    expect(missing).toEqual([])
  })
})

describe.skipIf(findProgram('curl') === null)('the commands of pages (skipped without curl)', () => {
  const folder = makeFolder()
  const work = join(folder, 'work')
  let program: RunningProgram
  let place: CommandPlace

  beforeAll(async () => {
    mkdirSync(join(work, 'node_modules/.bin'), { recursive: true })
    // As in a clone of the project, with what the commands write kept out of it.
    for (const name of ['bin', 'examples']) symlinkSync(join(projectRoot, name), join(work, name))
    symlinkSync(join(projectRoot, 'bin/sluice.mjs'), join(work, 'node_modules/.bin/sluice'))
    // From another folder than the project's, as a user may.
    ;({ program, place } = await startForCommands(work, folder, (flags) => startSluice(flags, {}, work)))
  })
  afterAll(() => program?.stop())

  it('are several on each page', () => {
    expect(pages.filter(({ commands }) => commands.length < 2).map(({ path }) => path)).toEqual([])
  })

  it.each(pages.flatMap(({ commands }) => commands))('$path: $command', (block) => expectCommand(block, place))
})
