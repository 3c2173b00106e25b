/** Bundles the modules that pages load, from the very sources that the services use. */

import { mkdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import { projectRoot } from './project.ts'
import { replaceFile } from './run/replace-file.mjs'

/** Each module below `public/lib`, and the source it is made from. */
export const pageModules = { 'public/lib/event-stream.js': 'src/base/event-stream.ts' } as const

/** The path of a module that pages load. */
export type PageModule = keyof typeof pageModules

/** Bundles one module as readable ECMAScript for browsers; the same source always gives the same text. */
export async function bundlePageModule(module: PageModule): Promise<string> {
  const entry = pageModules[module]
  const { outputFiles } = await build({
    absWorkingDir: projectRoot,
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    charset: 'utf8',
    banner: { js: `// Made from ${entry} by \`npm run build\`; change that file.` },
    logLevel: 'error',
  })
  return outputFiles[0]?.text ?? ''
}

/** Writes every module that differs from what its source gives; they are kept under version control. */
export async function bundlePages(): Promise<void> {
  await Promise.all(
    Object.keys(pageModules).map(async (name) => {
      const module = name as PageModule // the keys of the table itself
      const path = join(projectRoot, module)
      const text = await bundlePageModule(module)
      if ((await readFile(path, 'utf8').catch(() => '')) === text) return
      await mkdir(dirname(path), { recursive: true })
      replaceFile(path, text)
    }),
  )
}
