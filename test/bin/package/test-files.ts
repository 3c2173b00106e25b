/** The files of docs/test-without-a-network.md with the packed library and command. */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { projectRoot } from '#bin/project.ts'
import { findProgram } from '../../support/process.ts'
import { npmOptions, type Packed, run } from './packed.ts'

/** Tests that the files of the page pass. */
export function testTestFiles(packed: Packed): void {
  describe('the files of docs/test-without-a-network.md', () => {
    /** Writes a block, whose first line is a comment with the name of its file, changed where a test asks for it. */
    async function writeBlock(name: string, change = (text: string) => text): Promise<void> {
      const page = await readFile(join(packed.folder, 'node_modules/sluice-cli/docs/test-without-a-network.md'), 'utf8')
      const block = new RegExp(`^\`\`\`\\w+\\n(?://|#) ${name}\\n([\\s\\S]*?)^\`\`\``, 'm').exec(page)?.[1]
      await packed.write(name, change(block ?? expect.fail(`the page has no block ${name}`)))
    }

    it('pass in node:test', async () => {
      await writeBlock('prices.test.mjs')
      const { stdout } = await run(process.execPath, ['--test', 'prices.test.mjs'], { cwd: packed.folder })
      expect(stdout).toContain('pass 3')
    })

    it('pass in vitest, with the line that the page names', async () => {
      const names = "import { afterAll as after, afterEach, beforeEach, test } from 'vitest'"
      await writeBlock('prices.test.mjs', (text) => text.replace(/^import .* from 'node:test'$/m, names))
      await run('npm', ['install', ...npmOptions, '--ignore-scripts', join(projectRoot, 'node_modules/vitest')], {
        cwd: packed.folder,
      })
      const command = join(packed.folder, 'node_modules/vitest/vitest.mjs')
      const args = [command, 'run', 'prices.test.mjs', '--testTimeout', '60000']
      const { stdout } = await run(process.execPath, args, { cwd: packed.folder })
      expect(stdout).toContain('3 passed')
    })

    it('pass in Python', async ({ skip }) => {
      skip(findProgram('python3') === null, 'there is no python3')
      await writeBlock('test_prices.py')
      const { stderr } = await run('python3', ['-m', 'unittest', 'test_prices'], { cwd: packed.folder })
      expect(stderr).toContain('Ran 2 tests')
    })

    it('have types', async () => {
      const text = `import { startNode, type StartedNode } from 'sluice/streamnet/testing'
  const node: StartedNode = await startNode({ profile: 'head' })
  export const now: number = node.platform.now()
  `
      await packed.write('fixture.ts', text)
      const options =
        '--ignoreConfig --strict --noEmit --module nodenext --target es2022 --lib es2023,dom --types'.split(' ')
      await run(join(projectRoot, 'node_modules/.bin/tsc'), [...options, '', 'fixture.ts'], { cwd: packed.folder })
    })
  })
}
