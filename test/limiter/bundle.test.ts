import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { projectRoot } from '#bin/project.ts'

/** Octets of a module with all that it imports, minified and compressed. */
async function size(name: string): Promise<number> {
  const { outputFiles } = await build({
    absWorkingDir: projectRoot,
    entryPoints: [`src/limiter/${name}.ts`],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
  })
  return gzipSync(outputFiles[0]?.contents ?? '').length
}

describe('the client and its middlewares', () => {
  it.each([
    ['index', 2_000],
    ['hono', 1_200],
    ['express', 1_200],
    ['fetch', 1_200],
  ])('%s has %d octets at most', async (name, most) => {
    const octets = await size(name)
    expect(octets).toBeGreaterThan(500)
    expect(octets).toBeLessThanOrEqual(most)
  })
})
