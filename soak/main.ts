/** Runs one soak by name in a separate process and prints its outcome as one line of JSON, and each minute that it goes on. */

import { type Soak, say } from './outcome.ts'

/** The longest soak takes some twenty minutes on a quiet machine, and may wait as long for an hour to begin. */
const boundMs = 7_200_000

const [name = '', scale = '1'] = process.argv.slice(2)
const { run }: { readonly run: Soak } = await import(new URL(`./${name}.soak.mjs`, import.meta.url).href)
setInterval(() => say('goes on'), 60_000)
setTimeout(() => {
  console.error(`Cannot finish ${name}: there is no outcome after ${boundMs / 60_000} minutes`)
  process.exit(1)
}, boundMs)
try {
  console.log(JSON.stringify(await run(Number(scale))))
  process.exit(0)
} catch (error) {
  console.error(error)
  process.exit(1)
}
