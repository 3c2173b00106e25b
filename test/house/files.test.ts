/** The index of files, `docs/files.md`: `npx vitest run test/house/files.test.ts -u` writes it anew. */

import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { groupBy } from '#base/group-by.ts'
import { projectRoot } from '#bin/project.ts'
import { type Source, sources } from './source.ts'

const head = `# Files

Every file of the product, and of its benches and soaks, with the first sentence of its header. The way through them is in the [map](architecture.md). A test writes this page: \`npx vitest run test/house/files.test.ts -u\`.
`

/** Folders whose own folders are large enough for a heading each. */
const split = ['src', 'durable-objects', 'workers', 'console']

function headingOf(path: string): string {
  const [root = '', folder = '', ...below] = path.split('/')
  return split.includes(root) && below.length > 0 ? `${root}/${folder}` : root
}

/** The header's text up to the end of its first sentence, on one line. */
function firstSentence({ path, text }: Source): string {
  const header = /^(?:#!.*\n)?\/\*\*(?<words>[\s\S]*?)\*\//.exec(text)?.groups?.words
  if (header === undefined) throw new Error(`${path} has no header`)
  const words = header
    .replace(/@\w[\s\S]*/, '')
    .replaceAll(/\n\s*\*/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return words.split(/(?<=\.) (?=[A-Z`])/)[0] ?? words
}

describe('docs/files.md', () => {
  it('has a line for each file', async () => {
    const files = sources('src', 'durable-objects', 'workers', 'proto-json', 'bin', 'console', 'bench', 'soak')
    const sections = groupBy(files, ({ path }) => headingOf(path))
    const names = [...sections.keys()].sort()
    const contents = names.map((name) => `- [${name}](#${name.replaceAll(/[^a-z-]/g, '')})`)
    const lists = names.map((name) => {
      const lines = (sections.get(name) ?? []).map((file) => `- \`${file.path}\`: ${firstSentence(file)}`)
      return `## ${name}\n\n${lines.sort().join('\n')}\n`
    })
    const page = [head, `${contents.join('\n')}\n`, ...lists].join('\n')
    await expect(page).toMatchFileSnapshot(join(projectRoot, 'docs/files.md'))
  })
})
