/** Runs one soak by name in a separate process and prints its outcome as one line of JSON. */

import type { Soak } from './outcome.ts'

const [name = '', scale = '1'] = process.argv.slice(2)
const { run }: { readonly run: Soak } = await import(new URL(`./${name}.soak.mjs`, import.meta.url).href)
try {
  console.log(JSON.stringify(await run(Number(scale))))
  process.exit(0)
} catch (error) {
  console.error(error)
  process.exit(1)
}
