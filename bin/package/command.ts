/** The command `sluice` as the package holds it: its sources in a few files, its tools left out. */

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../project.ts'

/** Packages that the command imports when it runs; wrangler and esbuild are only for clones, and @noble/curves is bundled. */
const external = ['workerd', 'undici', '@noble/hashes', '@noble/hashes/*', '@noble/secp256k1', 'wrangler', 'esbuild']

/** Bundles `bin/sluice.ts` into `dist/command`: a file for each command, so that one reads only its own code. */
export async function buildCommand(): Promise<void> {
  // Loaded only here: the package is installed without esbuild.
  const { build } = await import('esbuild')
  const outdir = join(projectRoot, 'dist/command')
  rmSync(outdir, { recursive: true, force: true })
  await build({
    absWorkingDir: projectRoot,
    entryPoints: ['bin/sluice.ts'],
    outdir,
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    external,
    minifySyntax: true,
    minifyWhitespace: true,
    loader: { '.html': 'text' },
    // Packages in CommonJS ask for modules of Node by require().
    banner: {
      js: "import{createRequire as sluiceRequire}from'node:module';const require=sluiceRequire(import.meta.url);",
    },
    logLevel: 'error',
  })
}
